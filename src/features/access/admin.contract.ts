import Type from 'typebox'
import { momentPattern } from '../../core/period.ts'
import { type EndpointShape, endpointOf, type Family, type ResponseHeader } from '../../http/endpoint.ts'

/** What staff and tokens may be allowed to do. */
export const permissions = [
  'catalog:read',
  'catalog:write',
  'stock:write',
  'orders:read',
  'orders:fulfil',
  'orders:support',
  'orders:write',
  'orders:refund',
  'customers:read',
  'customers:write',
  'customers:erase',
  'coupons:write',
  'settings:read',
  'settings:write',
  'secrets:write',
  'staff:write',
  'webhooks:write',
  'jobs:write',
  'reports:read',
  'audit:read',
] as const
export type Permission = (typeof permissions)[number]

export const roles = ['owner', 'manager', 'fulfilment', 'support', 'viewer'] as const
export type StaffRole = (typeof roles)[number]

const ownersOnly: readonly Permission[] = ['secrets:write', 'staff:write', 'customers:erase']

/** The permissions of each role. Staff in support also refund, up to the limit that the store sets. */
export const permissionsOf: Record<StaffRole, readonly Permission[]> = {
  owner: permissions,
  manager: permissions.filter((permission) => !ownersOnly.includes(permission)),
  fulfilment: ['catalog:read', 'stock:write', 'orders:read', 'orders:fulfil'],
  support: ['catalog:read', 'orders:read', 'orders:support', 'customers:read'],
  viewer: permissions.filter((permission) => permission.endsWith(':read') && permission !== 'audit:read'),
}

/**
 * Who may call an admin endpoint. `public`: anyone, to sign in. `staff`: a person who is signed in. `store`: a person
 * with a role in the store of the path, or a token of that store, who has the permission.
 */
export type AdminAccess = 'public' | 'staff' | 'store'

export type AdminRights = (
  | { access: 'public' | 'staff' }
  /** `orPermission` also allows the call. The use case then decides how far it goes. */
  | { access: 'store'; permission: Permission; orPermission?: Permission }
) & { headers?: readonly ResponseHeader[] }

export type AdminEndpoint = EndpointShape & {
  family: Family<'admin'>
  access: AdminAccess
  permission?: Permission
  orPermission?: Permission
}

export const sessionCookie = 'vitrine_staff'

const text = { schema: { type: 'string' } }

const securitySchemes = {
  staffSession: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: "The session of a person, from `POST /admin/v1/session`. Only for pages of the service's own origin.",
  },
  adminToken: { type: 'http', scheme: 'bearer', description: 'A token for programs, which begins with `vat_`' },
}

/** The API of merchants: `/admin/v1`. */
export const admin: Family<'admin'> = {
  name: 'admin',
  securitySchemes,
  parameters: {
    ifMatch: {
      ...{ name: 'If-Match', in: 'header', ...text },
      description: 'The ETag of the last read. If the resource has changed since then, the answer is 412',
    },
  },
  headers: {},
  describe: ({ access, permission, orPermission, method }: AdminEndpoint) => {
    if (access === 'public') {
      return { security: [], parameters: [], headers: [], codes: ['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'] }
    }
    const needed = [permission, orPermission].filter((name) => name !== undefined).map((name) => `\`${name}\``)
    return {
      ...(needed.length === 0 ? {} : { note: `Needs the permission ${needed.join(' or ')}.` }),
      security: access === 'staff' ? [{ staffSession: [] }] : [{ adminToken: [] }, { staffSession: [] }],
      parameters: method === 'PATCH' ? ['ifMatch'] : [],
      headers: [],
      codes: [
        ...(['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'] as const),
        ...(method === 'PATCH' ? (['PRECONDITION_FAILED'] as const) : []),
      ],
    }
  },
}

export const adminEndpoint = endpointOf<AdminRights>()(admin)

/** The parameters of a path that names nothing but the store. */
export const storeParams = Type.Object({ storeId: Type.String({ minLength: 1, maxLength: 64 }) })

/** `from` and `to` of a list. */
export const periodQuery = {
  from: Type.Optional(
    Type.String({ pattern: momentPattern, description: "A day, in the store's time zone, or a time" }),
  ),
  to: Type.Optional(
    Type.String({ pattern: momentPattern, description: 'A day, which is included, or a time, which is not' }),
  ),
}
