import Type, { type Static } from 'typebox'
import { named, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { CustomerProfile } from './sign-in.contract.ts'

export const maxAddresses = 50

const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) })

const required = {
  name: text(200, 'Who receives'),
  phone: text(40, 'Where the carrier can call; kept as it is written'),
  line1: text(200),
  city: text(100),
  postalCode: text(20),
  country: text(2, 'ISO 3166, two letters'),
}
const optional = {
  label: text(50, 'What the customer calls it, such as "Home"'),
  line2: text(200),
  landmark: text(200),
  state: text(100),
}
const isDefault = Type.Boolean({
  description:
    'Whenever there are addresses, one of them is the default. The first becomes it by itself, and setting it on another moves it there. `false` on the default address changes nothing: make another one the default instead.',
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
    text(254, 'Signs in a customer who has a password, and is for reaching one who has none. Empty: removes it'),
  ),
  currentPassword: Type.Optional(text(200, 'Needed to change the email of a customer who has a password')),
  phone: Type.Optional(
    text(
      40,
      'International form. For reaching the customer; the number that signs in stays as it is. Empty: removes it',
    ),
  ),
})
export type CustomerChange = Static<typeof CustomerChange>

const exampleCustomer = {
  id: 'cus_01k8x0v3m7q2w9c4t6y8zf',
  name: 'Asha Rao',
  email: 'asha@example.com',
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
    summary: 'Show the customer who is signed in',
    ok: CustomerProfile,
    example: exampleCustomer,
  }),
  changeCustomer: endpoint({
    ...write,
    method: 'PATCH',
    path: '/v1/customer',
    summary: 'Change name, email or contact phone',
    description:
      'What is left out stays. `phone` never changes a number that was proved by a code, and as long as there is one, answers show that one. To change the email of a customer who has a password, send `currentPassword`: without it, or with a wrong one, the answer is 403, and 429 after ten wrong ones within fifteen minutes. That change ends all other sessions of the customer. 409: the email signs in another customer.',
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
      '`currentPassword` is needed when there is one: without it, or with a wrong one, the answer is 403, and 429 after ten wrong ones within fifteen minutes. A customer without a password needs an email first (400 otherwise), which must not sign in another customer (409). All other sessions of the customer end.',
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
    description: 'The default one first, then the newest.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Address),
    example: { data: [exampleAddress], nextCursor: null, hasMore: false },
  }),
  addAddress: endpoint({
    ...write,
    method: 'POST',
    path: '/v1/customer/addresses',
    summary: 'Add an address',
    description: `A customer has ${maxAddresses} addresses at most.`,
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
    description: 'What is left out stays.',
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
    description: 'When it was the default, the newest of the others becomes it.',
    params: addressId,
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
}
