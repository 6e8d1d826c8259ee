import Type, { type Static } from 'typebox'
import { named, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { CustomerProfile } from './sign-in.contract.ts'

export const maxAddresses = 50

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) })

const required = {
  name: text(200, 'Recipient'),
  phone: text(40, 'For the carrier to call; stored as written'),
  line1: text(200),
  city: text(100),
  postalCode: text(20),
  country: text(2, 'ISO 3166, two letters'),
}
const optional = {
  label: text(50, 'The name the customer gives it, such as "Home"'),
  line2: text(200),
  landmark: text(200),
  state: text(100),
}
const isDefault = Type.Boolean({
  description:
    'One address is always the default. The first one becomes the default automatically; `true` makes another address the default. `false` on the default address has no effect: make another address the default instead.',
})

export const Address = named(
  'Address',
  Type.Object({
    id: Type.String(),
    label: optional.label,
    ...required,
    line2: optional.line2,
    landmark: optional.landmark,
    state: optional.state,
    isDefault: Type.Boolean(),
    createdAt: Type.String({ description: 'ISO 8601, UTC' }),
    updatedAt: Type.String({ description: 'ISO 8601, UTC' }),
  }),
)
export type Address = Static<typeof Address>

export const NewAddress = Type.Object({
  ...required,
  ...Type.Partial(Type.Object({ ...optional, isDefault })).properties,
})
export type NewAddress = Static<typeof NewAddress>

export const AddressChange = Type.Partial(Type.Object({ ...required, ...optional, isDefault }))
export type AddressChange = Static<typeof AddressChange>

export const CustomerChange = Type.Object({
  name: Type.Optional(text(200)),
  email: Type.Optional(
    text(
      254,
      'Sign-in email if it is confirmed or the customer has a password, otherwise contact data. Empty: removes it',
    ),
  ),
  currentPassword: Type.Optional(text(200, 'Required to change the email of a customer who has a password')),
  storefrontUrl: Type.Optional(
    text(300, 'Origin that the link to confirm a new email leads to. Default: the domain of the store'),
  ),
  phone: Type.Optional(
    text(
      40,
      'Contact number in international form. The verified number for sign-in does not change. Empty: removes it',
    ),
  ),
})
export type CustomerChange = Static<typeof CustomerChange>

const exampleCustomer = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8zf',
  name: 'Asha Rao',
  email: 'asha@example.com',
  emailVerified: true,
  phone: '+919876543210',
  phoneVerified: true,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
}

const exampleAddress = {
  id: 'addr_01k8x0v3m7q2w9c4t6y8zg',
  label: 'Home',
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  line1: '14 Lake View Road',
  line2: '',
  landmark: 'Behind the post office',
  city: 'Bengaluru',
  state: 'Karnataka',
  postalCode: '560001',
  country: 'IN',
  isDefault: true,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
}

const read = { method: 'GET', tag: 'Customer', access: 'customer', scope: 'customer:read' } as const
const write = { tag: 'Customer', access: 'customer', scope: 'customer:write' } as const
const addressId = Type.Object({ id: Type.String({ maxLength: 200, description: 'Id of the address' }) })

export const profileContract = {
  showCustomer: endpoint({
    ...read,
    path: '/v1/customer',
    summary: 'Show the signed-in customer',
    ok: CustomerProfile,
    example: exampleCustomer,
  }),
  changeCustomer: endpoint({
    ...write,
    method: 'PATCH',
    path: '/v1/customer',
    summary: 'Change name, email or contact phone',
    description:
      'Omitted fields do not change. `phone` never changes a verified number, and responses show the verified number if there is one. To change the email of a customer who has a password, send `currentPassword`: 403 if it is missing or incorrect, 429 after ten incorrect ones within fifteen minutes. Changing a sign-in email ends all other sessions of the customer. A new email is not confirmed (`emailVerified`) and gets a mail with a link that confirms it. 409: another customer signs in with this email.',
    body: CustomerChange,
    ok: CustomerProfile,
    errors: ['CONFLICT'],
    example: exampleCustomer,
  }),
  changePassword: endpoint({
    ...write,
    method: 'POST',
    path: '/v1/customer/password',
    summary: 'Change the password, or set one',
    description:
      '`currentPassword` is required if the customer has a password: 403 if it is missing or incorrect, 429 after ten incorrect ones within fifteen minutes. A customer without a password needs an email first (400 otherwise), with which no other customer signs in (409 otherwise). Ends all other sessions of the customer.',
    body: Type.Object({
      currentPassword: Type.Optional(text(200)),
      newPassword: Type.String({ minLength: 8, maxLength: 200 }),
    }),
    ok: Type.Object({ success: Type.Boolean() }),
    errors: ['CONFLICT'],
    example: { success: true },
  }),
  listAddresses: endpoint({
    ...read,
    path: '/v1/customer/addresses',
    summary: 'List addresses',
    description: 'The default address first, then newest first.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Address),
    example: { data: [exampleAddress], nextCursor: null, hasMore: false },
  }),
  addAddress: endpoint({
    ...write,
    method: 'POST',
    path: '/v1/customer/addresses',
    summary: 'Add an address',
    description: `A customer can have at most ${maxAddresses} addresses.`,
    body: NewAddress,
    ok: Address,
    okStatus: 201,
    once: true,
    errors: ['CONFLICT'],
    example: exampleAddress,
  }),
  changeAddress: endpoint({
    ...write,
    method: 'PATCH',
    path: '/v1/customer/addresses/{id}',
    summary: 'Change an address',
    description: 'Omitted fields do not change.',
    params: addressId,
    body: AddressChange,
    ok: Address,
    errors: ['NOT_FOUND'],
    example: exampleAddress,
  }),
  removeAddress: endpoint({
    ...write,
    method: 'DELETE',
    path: '/v1/customer/addresses/{id}',
    summary: 'Remove an address',
    description: 'If it was the default, the newest remaining address becomes the default.',
    params: addressId,
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
}
