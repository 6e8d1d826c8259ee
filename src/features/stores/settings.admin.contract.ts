import Type, { type Static, type TSchema } from 'typebox'
import { named, nullable } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'

const text = (maxLength: number, options = {}) => Type.String({ maxLength, ...options })
const amount = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
const count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })

const Contact = { email: text(254), phone: text(40) }
const Address = { line1: text(200), city: text(100), state: text(100), postalCode: text(20), country: text(2) }
const Shipping = {
  flat: amount,
  freeAbove: nullable(Type.Number({ ...amount, description: 'Subtotal from which shipping is free. Null: never' })),
}
const CashOnDelivery = {
  enabled: Type.Boolean(),
  maxValue: nullable(Type.Number({ ...amount, exclusiveMinimum: 0, description: 'Largest total. Null: no limit' })),
  maxUnits: nullable(count),
  maxOpenOrders: nullable(count),
  verifiedPhone: Type.Boolean({ description: 'Only for customers with a confirmed phone number' }),
}
const OneTimePasswords = {
  hourlyCap: nullable(count),
  countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 250, description: 'Empty: all countries' }),
  clientLimit: count,
}
const Mail = {
  senderName: text(100, { description: 'Empty: the name of the store' }),
  replyTo: text(254, { description: 'Empty: the contact address of the store' }),
  brandColor: text(7, { description: '`#rrggbb`. Empty: the default' }),
}

const Invoices = {
  prefix: text(10, {
    pattern: '^([A-Za-z0-9/-]*[/-])?$',
    description: 'What the numbers of invoices begin with, such as `INV-`: letters and digits, with - or / at the end',
  }),
  yearStartMonth: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 12,
      description: 'The month in which numbers begin again, behind the financial year. Null: they never do',
    }),
  ),
}

/** Settings that can be changed, besides those in groups. */
const fields = {
  name: text(200),
  domain: text(300),
  locale: text(35),
  timezone: text(60),
  logo: text(1000),
  taxIncluded: Type.Boolean(),
  maxHeldUnits: nullable(Type.Integer({ ...count, description: 'Units in all unpaid orders of one customer' })),
  visitorLimit: count,
  returnDays: Type.Integer({
    ...{ minimum: 0, maximum: 3650 },
    description: 'For how many days after the delivery customers can ask for a return. 0: never',
  }),
  lowStockThreshold: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  supportRefundLimit: nullable(
    Type.Number({
      ...amount,
      exclusiveMinimum: 0,
      description: 'What staff with the role `support` may refund of one order, in all. Null: nothing',
    }),
  ),
  taxId: text(40, { description: "The store's number at the tax authority, for invoices, such as a GSTIN" }),
  closed: Type.Boolean({
    description: 'A closed store refuses its keys. Orders are still paid, refunded and delivered',
  }),
}

/** The same fields, none of which is needed. */
const partial = <Fields extends Record<string, TSchema>>(all: Fields) => Type.Partial(Type.Object(all))

export const Settings = named(
  'Settings',
  Type.Object({
    id: Type.String(),
    currency: Type.String({ description: 'Cannot be changed' }),
    paymentProvider: Type.String({ description: 'Changed with the payment accounts' }),
    ...fields,
    contact: Type.Object(Contact),
    address: Type.Union([Type.Object(Address), Type.Null()]),
    shipping: Type.Object(Shipping),
    cashOnDelivery: Type.Object(CashOnDelivery),
    oneTimePasswords: Type.Object(OneTimePasswords),
    invoices: Type.Object(Invoices),
    mail: Type.Object({
      ...Mail,
      messages: Type.Record(Type.String(), Type.Boolean(), {
        description: 'Whether each message is sent, by its name',
      }),
    }),
  }),
)

export const SettingsPatch = Type.Object({
  ...partial(fields).properties,
  contact: Type.Optional(partial(Contact)),
  address: Type.Optional(Type.Object(Address)),
  shipping: Type.Optional(partial(Shipping)),
  cashOnDelivery: Type.Optional(partial(CashOnDelivery)),
  oneTimePasswords: Type.Optional(partial(OneTimePasswords)),
  invoices: Type.Optional(partial(Invoices)),
  mail: Type.Optional(
    Type.Object({ ...partial(Mail).properties, messages: Type.Optional(Type.Record(Type.String(), Type.Boolean())) }),
  ),
})
export type SettingsPatch = Static<typeof SettingsPatch>

const exampleSettings = {
  id: 'store_1m7mj1',
  currency: 'INR',
  paymentProvider: 'razorpay',
  name: 'Blue Door',
  domain: 'https://bluedoor.example',
  locale: 'en-IN',
  timezone: 'Asia/Kolkata',
  logo: '',
  taxIncluded: true,
  maxHeldUnits: null,
  visitorLimit: 300,
  returnDays: 30,
  lowStockThreshold: 5,
  supportRefundLimit: 500,
  taxId: '29ABCDE1234F1Z5',
  closed: false,
  contact: { email: 'hello@bluedoor.example', phone: '' },
  address: null,
  shipping: { flat: 79, freeAbove: 999 },
  cashOnDelivery: { enabled: false, maxValue: 10000, maxUnits: 20, maxOpenOrders: 3, verifiedPhone: false },
  invoices: { prefix: 'INV-', yearStartMonth: 4 },
  oneTimePasswords: { hourlyCap: null, countries: ['IN'], clientLimit: 100 },
  mail: { senderName: '', replyTo: '', brandColor: '', messages: { 'order.placed': true } },
}

const path = '/admin/v1/stores/{storeId}/settings'
const tag = 'Settings'

export const settingsContract = {
  adminGetSettings: adminEndpoint({
    ...{ method: 'GET', path, tag, access: 'store', permission: 'settings:read', params: storeParams },
    summary: 'Read the settings of the store',
    ok: Settings,
    headers: ['etag'],
    example: exampleSettings,
  }),
  adminUpdateSettings: adminEndpoint({
    ...{ method: 'PATCH', path, tag, access: 'store', permission: 'settings:write', params: storeParams },
    summary: 'Change settings of the store',
    description: 'Also inside the groups, only the given fields change.',
    body: SettingsPatch,
    ok: Settings,
    headers: ['etag'],
    errors: ['CONFLICT'],
    example: exampleSettings,
  }),
}
