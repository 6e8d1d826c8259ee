import Type from 'typebox'
import { countedPage, listFormat, named, nullable, oneOf, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'
import { Address } from '../accounts/profile.contract.ts'
import { CustomerProfile, exampleCustomer } from '../accounts/sign-in.contract.ts'
import { exampleOrder } from '../orders/example-order.contract.ts'
import { Order } from '../orders/order.contract.ts'

const time = Type.String({ format: 'date-time' })

export const StoreCustomer = named(
  'StoreCustomer',
  Type.Object({
    ...CustomerProfile.properties,
    orderCount: Type.Integer({ description: 'Orders that are paid or placed for cash, without cancelled ones' }),
    totalSpent: Type.Number({ description: 'The totals of these orders, less refunds' }),
    lastOrderAt: nullable(time),
    erasedAt: nullable(time),
  }),
)

export const CustomerNote = named(
  'CustomerNote',
  Type.Object({ id: Type.String(), text: Type.String(), author: Type.String(), createdAt: time }),
)

const CustomerDetails = named(
  'CustomerDetails',
  Type.Object({
    ...StoreCustomer.properties,
    addresses: Type.Array(Address),
    notes: Type.Array(CustomerNote, { description: 'Newest first. The customer does not see them' }),
    orders: page(Order),
  }),
)

const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const listOf = (description: string) => Type.Array(anyObject, { description })

export const CustomerExport = named(
  'CustomerExport',
  Type.Object({
    exportedAt: time,
    store: Type.Object({ id: Type.String(), name: Type.String() }),
    profile: anyObject,
    consents: listOf('What the customer has confirmed, and when'),
    addresses: Type.Array(Address),
    notes: Type.Array(CustomerNote),
    sessions: listOf('When each began and ends'),
    cart: listOf('Lines of the cart'),
    wishlist: listOf('Products of the wishlist'),
    downloads: listOf('Files that were bought'),
    couponUses: listOf('Coupons with the number of uses'),
    messages: listOf('Mail of the last 30 days'),
    orders: listOf('As the customer sees them, with `payments`, `staffNotes` and `returns`'),
  }),
)

const exampleListed = {
  ...exampleCustomer,
  orderCount: 3,
  totalSpent: 4197,
  lastOrderAt: '2026-11-02T10:00:00.000Z',
  erasedAt: null,
}
const exampleNote = {
  id: 'note_1m7mj220q32w1b1vwkvc69',
  text: 'Prefers a call before delivery.',
  author: 'Meera Iyer',
  createdAt: '2026-11-17T09:30:00.000Z',
}
const exampleOrders = { data: [exampleOrder], nextCursor: null, hasMore: false }
const exampleDetails = { ...exampleListed, addresses: [], notes: [exampleNote], orders: exampleOrders }
const exampleExport = {
  exportedAt: '2026-11-17T09:30:00.000Z',
  store: { id: 'store_1m7mj1', name: 'Blue Door' },
  profile: exampleCustomer,
  consents: [],
  ...{ addresses: [], notes: [exampleNote], sessions: [], cart: [], wishlist: [], downloads: [], couponUses: [] },
  ...{ messages: [], orders: [] },
}

const path = '/admin/v1/stores/{storeId}/customers'
const tag = 'Customers'
const reads = { tag, access: 'store', permission: 'customers:read' } as const
const writes = { tag, access: 'store', permission: 'customers:write' } as const
const idText = Type.String({ minLength: 1, maxLength: 64 })
const customerParams = Type.Object({ ...storeParams.properties, customerId: idText })
const noteParams = Type.Object({ ...customerParams.properties, noteId: idText })

export const customersContract = {
  adminListCustomers: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List customers, newest first',
    query: Type.Object({
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The beginning of a name, an email or a phone number',
        }),
      ),
      ...periodQuery,
      hasOrders: Type.Optional(Type.Boolean()),
      erased: Type.Optional(Type.Boolean({ description: 'Only erased customers. Otherwise all others' })),
      sort: Type.Optional(oneOf(['newest', 'oldest'])),
      limit: pageLimit,
      cursor: pageCursor,
      format: listFormat,
    }),
    ok: countedPage(StoreCustomer),
    csv: true,
    example: { data: [exampleListed], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminGetCustomer: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{customerId}`, params: customerParams },
    summary: 'Read a customer with addresses, notes, orders and spend',
    description: 'With the newest 20 orders. The ETag is that of the fields that can be changed.',
    ok: CustomerDetails,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleDetails,
  }),
  adminUpdateCustomer: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{customerId}`, params: customerParams },
    summary: 'Change the name, email or phone number of a customer',
    description:
      'A new email is not confirmed, and gets a mail that asks for it. A new phone number is only for contact. If the customer could sign in with the old one, all their sessions end. 409 if another customer signs in with the email, and if the customer could not sign in any more.',
    body: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 200 })),
      email: Type.Optional(Type.String({ maxLength: 254, description: 'Empty: none' })),
      phone: Type.Optional(Type.String({ maxLength: 40, description: 'Empty: none' })),
    }),
    ok: CustomerProfile,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleCustomer,
  }),
  adminListCustomerOrders: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{customerId}/orders`, params: customerParams },
    summary: 'List the orders of a customer, newest first',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: countedPage(Order),
    errors: ['NOT_FOUND'],
    example: { ...exampleOrders, total: 1, totalIsExact: true },
  }),
  adminCreateCustomerNote: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{customerId}/notes`, params: customerParams },
    orPermission: 'orders:support',
    summary: 'Add a note about a customer',
    description: 'The customer does not see it. It is part of the export, and erased with the customer.',
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 5000 }) }),
    ok: CustomerNote,
    okStatus: 201,
    once: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleNote,
  }),
  adminExportCustomer: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{customerId}/export`, params: customerParams },
    summary: 'Export everything that is known of a customer, as JSON',
    description:
      'Profile, addresses, orders with payments and shipments, cart, wishlist, downloads, messages, sessions, consents and notes, without secrets. Sent piece by piece.',
    ok: CustomerExport,
    errors: ['NOT_FOUND'],
    example: exampleExport,
  }),
  adminEraseCustomer: adminEndpoint({
    ...{ tag, access: 'store', permission: 'customers:erase' },
    ...{ method: 'DELETE', path: `${path}/{customerId}`, params: customerParams },
    summary: 'Erase the personal data of a customer',
    description:
      'Personal values in orders, events, logs and received webhooks become `[erased]`, and the account, its sessions and its addresses end. Amounts, tax and the record that something happened stay. It cannot be undone. 409 while an order is unpaid, not delivered, or being refunded. `erasing`: the account has ended, and a job goes on with the rest. Repeating the call is harmless.',
    ok: Type.Object({ id: Type.String(), status: oneOf(['erased', 'erasing']) }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { id: exampleCustomer.id, status: 'erased' },
  }),
  adminDeleteCustomerNote: adminEndpoint({
    ...{ ...writes, method: 'DELETE', path: `${path}/{customerId}/notes/{noteId}`, params: noteParams },
    summary: 'Delete a note',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
}
