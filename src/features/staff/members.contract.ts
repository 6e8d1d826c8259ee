import Type from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { adminEndpoint, permissions, roles, storeParams } from '../access/admin.contract.ts'

const StaffOfStore = named(
  'Staff',
  Type.Object({
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: oneOf(roles),
    status: oneOf(['active', 'invited'], { description: '`invited`: has not set a password yet' }),
    secondFactor: Type.Boolean(),
    usedAt: nullable(Type.String({ format: 'date-time' })),
    createdAt: Type.String({ format: 'date-time' }),
  }),
)

const exampleStaff = {
  id: 'stf_1m7mj220q32w1b1vwkvc69',
  email: 'meera@bluedoor.example',
  name: 'Meera Iyer',
  role: 'owner',
  status: 'active',
  secondFactor: true,
  usedAt: '2026-11-17T09:30:00.000Z',
  createdAt: '2026-11-01T10:00:00.000Z',
}

const AddedStaff = Type.Object({
  staffId: Type.String(),
  link: nullable(
    Type.String({
      description:
        'Sets the password, once, for a day. Only if the service sends no mail, and the person has no password',
    }),
  ),
})

const AdminToken = named(
  'AdminToken',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    permissions: Type.Array(oneOf(permissions)),
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: nullable(Type.String({ format: 'date-time' })),
    usedAt: nullable(Type.String({ format: 'date-time', description: 'The last use, to the minute' })),
  }),
)

const exampleToken = {
  id: 'tok_1m7mj220q32w1b1vwkvc69',
  name: 'Warehouse',
  permissions: ['orders:read', 'orders:fulfil'],
  createdAt: '2026-11-17T09:30:00.000Z',
  expiresAt: null,
  usedAt: null,
}

const staffPath = '/admin/v1/stores/{storeId}/staff'
const tokensPath = '/admin/v1/stores/{storeId}/tokens'
const idText = Type.String({ minLength: 1, maxLength: 64 })
const staffParams = Type.Object({ ...storeParams.properties, staffId: idText })
const staff = { tag: 'Staff', access: 'store', permission: 'staff:write' } as const
const tokens = { tag: 'Tokens', access: 'store', permission: 'secrets:write' } as const

export const membersContract = {
  adminListStaff: adminEndpoint({
    ...{ ...staff, method: 'GET', path: staffPath, params: storeParams },
    summary: 'List the staff of the store',
    ok: Type.Object({ data: Type.Array(StaffOfStore) }),
    example: { data: [exampleStaff] },
  }),
  adminAddStaff: adminEndpoint({
    ...{ ...staff, method: 'POST', path: staffPath, params: storeParams },
    summary: 'Add a person to the staff of the store',
    description: 'A new person gets a link by mail that sets a password.',
    body: Type.Object({
      email: Type.String({ minLength: 3, maxLength: 254 }),
      role: oneOf(roles),
      name: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    ok: AddedStaff,
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { staffId: exampleStaff.id, link: null },
  }),
  adminUpdateStaff: adminEndpoint({
    ...{ ...staff, method: 'PATCH', path: `${staffPath}/{staffId}`, params: staffParams },
    summary: 'Change the role of a person',
    body: Type.Object({ role: oneOf(roles) }),
    ok: StaffOfStore,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleStaff,
  }),
  adminRemoveStaff: adminEndpoint({
    ...{ ...staff, method: 'DELETE', path: `${staffPath}/{staffId}`, params: staffParams },
    summary: 'Remove a person from the staff of the store',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  adminInviteStaff: adminEndpoint({
    ...{ ...staff, method: 'POST', path: `${staffPath}/{staffId}/invite`, params: staffParams },
    summary: 'Send a new link to a staff member without a password',
    ok: AddedStaff,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { staffId: exampleStaff.id, link: null },
  }),
  adminListTokens: adminEndpoint({
    ...{ ...tokens, method: 'GET', path: tokensPath, params: storeParams },
    summary: 'List the tokens of the store, without their secrets',
    ok: Type.Object({ data: Type.Array(AdminToken) }),
    example: { data: [exampleToken] },
  }),
  adminCreateToken: adminEndpoint({
    ...{ ...tokens, method: 'POST', path: tokensPath, params: storeParams },
    summary: 'Create a token for a program',
    description: 'The token is shown only once. It has either the permissions of a role, or those that you list.',
    body: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 100 })),
      role: Type.Optional(oneOf(roles)),
      permissions: Type.Optional(Type.Array(oneOf(permissions), { minItems: 1, maxItems: 50 })),
      expiresAt: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601, such as 2027-01-31T00:00:00Z' })),
    }),
    ok: Type.Object({ ...AdminToken.properties, token: Type.String() }),
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { ...exampleToken, token: 'vat_0123456789abcdefghjkmnpqrstvwxyz' },
  }),
  adminRevokeToken: adminEndpoint({
    ...{ ...tokens, method: 'DELETE', path: `${tokensPath}/{tokenId}` },
    params: Type.Object({ ...storeParams.properties, tokenId: idText }),
    summary: 'Revoke a token',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
}
