import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../core/errors.ts'
import type { Scope } from '../../http/endpoint.ts'
import type { Admit } from '../../http/register.ts'
import type { Outlet, Services, Store, StoreCtx } from '../context.ts'
import { type Directory, fullScope, type Key } from './directory.ts'
import { readInternalToken } from './internal-token.ts'
import { defaultLimit, type RateCounter, secondsToNextWindow } from './rate-limit.ts'

export type AccessOptions = {
  services: Services
  directory: Directory
  counter: RateCounter
  internalSecrets: readonly string[]
  /** Origins of this service's own pages, allowed for every store. */
  ownOrigins: ReadonlySet<string>
}

/** Who calls: a store through one of its keys, or a trusted server through an internal token (then `key` is null). */
type Caller = { store: Store; scopes: ReadonlySet<Scope>; key: Key | null }

/**
 * The gate of every `/v1` route, in this order: who is it, may it call now (rate), from this page (origin), this
 * endpoint (scope), for this outlet. What is in memory is decided without waiting.
 */
export const createGate = (options: AccessOptions) => {
  const admit: Admit = (request, reply, needs) => {
    const caller = identify(request, options)
    if (caller instanceof Promise) return caller.then((known) => admitCaller(known, request, reply, needs.scope))
    return admitCaller(caller, request, reply, needs.scope)
  }

  const admitCaller = (caller: Caller, request: FastifyRequest, reply: FastifyReply, scope: Scope | undefined) => {
    const counted = countRequest(caller.key, reply, options)
    if (counted instanceof Promise) return counted.then(() => checkRights(caller, request, scope, options))
    return checkRights(caller, request, scope, options)
  }

  /** For an unknown `/v1` route: a known key is counted as on any other, and nobody is told more than 404. */
  const countUnknownRoute = async (request: FastifyRequest, reply: FastifyReply) => {
    const given = readKeyHeaders(request)
    const key = given.secret === undefined || given.conflict ? undefined : await options.directory.key(given.secret)
    if (key !== undefined && isAlive(key, options)) await countRequest(key, reply, options)
  }

  return { admit, countUnknownRoute }
}

const readKeyHeaders = ({ headers }: FastifyRequest) => {
  const storeKey = headers['x-store-key'] as string | undefined
  const apiKey = headers['x-api-key'] as string | undefined
  return { secret: storeKey ?? apiKey, conflict: storeKey !== undefined && apiKey !== undefined && storeKey !== apiKey }
}

const identify = (request: FastifyRequest, options: AccessOptions): Caller | Promise<Caller> => {
  const { secret, conflict } = readKeyHeaders(request)
  if (conflict) throw fail('UNAUTHORIZED', 'X-Store-Key and x-api-key name different keys.')
  const token = request.headers['x-internal-storefront-token'] as string | undefined
  if (token !== undefined) return identifyInternal(token, secret, request, options)
  if (!secret) throw fail('UNAUTHORIZED', 'A store key is required: send it as X-Store-Key or x-api-key.')
  const key = options.directory.key(secret)
  return key instanceof Promise ? key.then((found) => callerOf(found, options)) : callerOf(key, options)
}

const callerOf = (key: Key | undefined, options: AccessOptions): Caller => {
  if (key === undefined || !isAlive(key, options)) throw fail('UNAUTHORIZED', 'The store key is not valid.')
  return { store: key.store, scopes: key.scopes, key }
}

const isAlive = (key: Key, { services }: AccessOptions) => services.clock.now() < key.expiresAtMs

const identifyInternal = async (
  token: string,
  secret: string | undefined,
  request: FastifyRequest,
  { directory, internalSecrets, services }: AccessOptions,
): Promise<Caller> => {
  const refused = fail('UNAUTHORIZED', 'The internal token is not valid.')
  if (request.headers.origin !== undefined) throw refused
  const publicId = readInternalToken(token, internalSecrets, services.clock.now())
  const store = publicId === null ? undefined : await directory.storeByPublicId(publicId)
  if (store === undefined) throw refused
  if (secret !== undefined) {
    const key = await directory.key(secret)
    if (key?.store.id !== store.id) throw refused
  }
  return { store, scopes: fullScope, key: null }
}

const countRequest = (key: Key | null, reply: FastifyReply, { counter, services }: AccessOptions) => {
  if (key === null) return
  const limit = key.rateLimit ?? defaultLimit
  const judge = (count: number) => {
    const reset = String(secondsToNextWindow(services.clock))
    reply.header('ratelimit-limit', String(limit))
    reply.header('ratelimit-remaining', String(Math.max(0, limit - count)))
    reply.header('ratelimit-reset', reset)
    if (count > limit) {
      throw fail('RATE_LIMITED', `Rate limit exceeded: ${limit} requests a minute for this key.`, {
        headers: { 'retry-after': reset },
      })
    }
  }
  const count = counter.count(key.id)
  return count instanceof Promise ? count.then(judge) : judge(count)
}

const checkRights = (
  { store, scopes }: Caller,
  request: FastifyRequest,
  scope: Scope | undefined,
  { services, ownOrigins }: AccessOptions,
): StoreCtx => {
  const { origin, authorization } = request.headers
  if (origin !== undefined && !store.origins.has(origin) && !ownOrigins.has(origin)) {
    throw fail('FORBIDDEN', 'This origin is not on the allowlist of the store.')
  }
  if (scope !== undefined && !scopes.has(scope)) throw fail('FORBIDDEN', `This key does not have the scope ${scope}.`)
  // No session can exist yet, so every bearer token is a dead one, and a dead one is refused where it is optional too.
  if (authorization !== undefined && /^bearer\b/i.test(authorization)) {
    throw fail('UNAUTHORIZED', 'The session is not valid. Sign in again.')
  }
  const outlet = chooseOutlet(store, request.headers['x-outlet-id'] as string | undefined)
  return {
    db: services.db,
    clock: services.clock,
    cursors: services.cursors,
    publicUrl: services.publicUrl,
    store,
    outlet,
    scopes,
    cacheStore: store.id,
    cacheScope: outlet.publicId,
  }
}

const chooseOutlet = (store: Store, publicId: string | undefined): Outlet => {
  if (publicId === undefined) return store.defaultOutlet
  const outlet = store.outlets.find((candidate) => candidate.publicId === publicId)
  if (outlet === undefined) throw fail('BAD_REQUEST', 'X-Outlet-Id names no outlet of this store.')
  return outlet
}
