import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Arrival, Door } from '../../http/door.ts'
import { type AdminEndpoint, admin, type Permission, permissionsOf } from '../access/admin.contract.ts'
import type { Directory } from '../access/directory.ts'
import { readIdempotencyKey } from '../access/shopper.ts'
import type { AdminCtx, AdminPublicCtx, Author, Services, StaffCtx, Store } from '../context.ts'
import { findStaffSession } from './sessions.sql.ts'
import { authorOf, readCookie, renewSession, writeCookie } from './sessions.ts'
import { findToken, noteTokenUse } from './tokens.sql.ts'

export type AdminDoorOptions = {
  services: Services
  directory: Pick<Directory, 'storeByPublicId'>
  /** Origins of this service's own pages. */
  ownOrigins: ReadonlySet<string>
  secureCookies: boolean
}

type AdminArrival = Arrival<AdminEndpoint>

/** The door of the admin API. A token goes before a cookie. */
export const createAdminDoor = (options: AdminDoorOptions): Door<AdminEndpoint> => ({
  family: admin,
  admit: async (arrival) => {
    // Answers contain personal data and must not stay in a shared browser's cache.
    arrival.setHeader('cache-control', 'no-store')
    const { endpoint } = arrival.route
    const base = publicCtx(options, arrival)
    if (endpoint.access === 'public') {
      refuseForeignPage(options, arrival)
      return base
    }
    if (endpoint.access === 'staff') return admitStaff(options, arrival, base)
    return admitToStore(options, arrival, base)
  },
  authorize: (ctx, { access, permission, orPermission }) => {
    if (access === 'public') return
    const isObject = typeof ctx === 'object' && ctx !== null
    if (access === 'staff' && isObject && 'staff' in ctx) return
    if (!isObject || !('permissions' in ctx) || !(ctx.permissions instanceof Set)) throw fail('UNAUTHORIZED')
    checkPermission(ctx.permissions, [permission, orPermission])
  },
})

const publicCtx = ({ services }: AdminDoorOptions, arrival: AdminArrival): AdminPublicCtx => ({
  ...services,
  ...{ cacheStore: 0, cacheScope: 0, clientAddress: arrival.clientAddress, requestId: arrival.requestId },
  userAgent: readHeader(arrival.headers, 'user-agent') ?? '',
})

/** A page of another origin can send requests, although it cannot read the answers. */
const refuseForeignPage = ({ ownOrigins }: AdminDoorOptions, { headers }: AdminArrival) => {
  const origin = readHeader(headers, 'origin')
  if (origin !== undefined && !ownOrigins.has(origin)) {
    throw fail('FORBIDDEN', "The admin API can be called only from pages of this service's own origin.")
  }
}

const signIn = () => fail('UNAUTHORIZED', 'Sign in first, or send a token as Authorization: Bearer vat_….')

/** The person of the cookie. A cookie counts only in requests from our own pages. */
const findSignedIn = async (options: AdminDoorOptions, arrival: AdminArrival, store: Store | null) => {
  const { services, ownOrigins } = options
  const { headers, route } = arrival
  const token = readCookie(readHeader(headers, 'cookie'))
  if (!token) throw signIn()
  refuseForeignPage(options, arrival)
  const site = readHeader(headers, 'sec-fetch-site')
  const origin = readHeader(headers, 'origin')
  const isOwn = site === undefined || site === 'same-origin' || site === 'none'
  const isChange = route.endpoint.method !== 'GET'
  if (!isOwn || (isChange && (origin === undefined || !ownOrigins.has(origin)))) {
    throw fail('FORBIDDEN', "A cookie counts only in requests from pages of this service's own origin.")
  }
  const sessionHash = hashSecret(token)
  const found = await services.limitLookups(`staff ${arrival.clientAddress}`, () =>
    findStaffSession(services.db, sessionHash, store?.id ?? null),
  )
  if (found === undefined) throw signIn()
  let { expiresAt } = found
  if (found.isIdle) {
    const renewed = await renewSession(services.db, sessionHash)
    if (renewed === undefined) throw signIn()
    expiresAt = renewed.expiresAt
    arrival.setHeader('set-cookie', writeCookie(token, options.secureCookies))
  }
  return { sessionHash, expiresAt, role: found.role, staff: found }
}

const admitStaff = async (
  options: AdminDoorOptions,
  arrival: AdminArrival,
  base: AdminPublicCtx,
): Promise<StaffCtx> => {
  const { sessionHash, expiresAt, staff } = await findSignedIn(options, arrival, null)
  const { id, email, name, hasSecondFactor } = staff
  return {
    ...base,
    staff: { id, email, name, hasSecondFactor },
    ...{ sessionHash, sessionExpiresAt: expiresAt, by: authorOf(staff, base) },
  }
}

const admitToStore = async (
  options: AdminDoorOptions,
  arrival: AdminArrival,
  base: AdminPublicCtx,
): Promise<AdminCtx> => {
  const { services, directory } = options
  const { endpoint } = arrival.route
  const store = await directory.storeByPublicId(String(arrival.params.storeId))
  const { author, permissions } = await identify(options, arrival, base, store ?? null)
  // The same for unknown stores and for those of other merchants, so that it does not tell which stores exist.
  if (store === undefined || permissions === null) throw fail('FORBIDDEN', 'You do not work for this store.')
  const granted = new Set(permissions)
  checkPermission(granted, [endpoint.permission, endpoint.orPermission])
  const db = services.db.forStore(store.id, arrival.onDisconnect)
  return {
    ...services,
    ...{ cacheStore: store.id, cacheScope: 0, store, permissions: granted, by: author },
    ...{ db, waitAnew: db.waitAnew },
    idempotencyKey: readIdempotencyKey(arrival.headers),
    ifMatch: readHeader(arrival.headers, 'if-match') ?? null,
  }
}

type Identified = { author: Author; permissions: readonly Permission[] | null }

/** `permissions` are null if the caller is known, and has nothing to do with this store. */
const identify = async (
  options: AdminDoorOptions,
  arrival: AdminArrival,
  base: AdminPublicCtx,
  store: Store | null,
): Promise<Identified> => {
  const authorization = readHeader(arrival.headers, 'authorization')
  if (authorization !== undefined) return identifyToken(options, authorization, base, store)
  const { staff, role } = await findSignedIn(options, arrival, store)
  return { author: authorOf(staff, base), permissions: role === null ? null : permissionsOf[role] }
}

const tokenShape = /^Bearer (vat_[0-9a-z]{32})$/i

const identifyToken = async (
  { services }: AdminDoorOptions,
  authorization: string,
  { clientAddress, requestId }: AdminPublicCtx,
  store: Store | null,
): Promise<Identified> => {
  const [, token] = tokenShape.exec(authorization) ?? []
  const found =
    token && (await services.limitLookups(`staff ${clientAddress}`, () => findToken(services.db, hashSecret(token))))
  if (!found) throw fail('UNAUTHORIZED', 'The token is not valid.')
  if (found.isIdle) await noteTokenUse(services.db, found.storeId, found.id)
  const actor = { kind: 'token', id: found.id, name: found.name || found.id } as const
  return {
    author: { actor, clientAddress, requestId },
    permissions: found.storeId === store?.id ? found.permissions : null,
  }
}

const checkPermission = (granted: ReadonlySet<Permission>, needed: readonly (Permission | undefined)[]) => {
  const names = needed.filter((name) => name !== undefined)
  if (names.some((name) => granted.has(name))) return
  throw fail('FORBIDDEN', `This needs the permission ${names.join(' or ')}.`)
}
