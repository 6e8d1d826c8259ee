import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import type { Scope } from '../../http/endpoint.ts'
import type { Counted, Recognise } from '../../http/fast-lane.ts'
import type { Admit, Needs, RequestHead } from '../../http/register.ts'
import type { Outlet, Services, Store, StoreCtx } from '../context.ts'
import { type Directory, fullScope, type Key } from './directory.ts'
import { readInternalToken } from './internal-token.ts'
import { secondsToNextWindow } from './rate-limit.ts'
import { recogniseShopper } from './shopper.ts'

export type AccessOptions = {
  services: Services
  directory: Directory
  internalSecrets: readonly string[]
  /** Origins of this service's own pages, allowed for every store. */
  ownOrigins: ReadonlySet<string>
}

/** Who calls: a store through one of its keys, or a trusted server through an internal token (then `key` is null). */
type Caller = { store: Store; scopes: ReadonlySet<Scope>; key: Key | null }

type SetHeader = (name: string, value: string) => unknown

/**
 * The gate of every `/v1` route, in this order: who is it, may it call now (rate), from this page (origin), this
 * endpoint (scope), for this outlet, on whose behalf. What is in memory is decided without waiting.
 */
export const createGate = (options: AccessOptions) => {
  const admit: Admit = (head, setHeader, needs) => {
    const caller = identify(head.headers, options)
    if (caller instanceof Promise) return caller.then((known) => admitCaller(known, head, setHeader, needs))
    return admitCaller(caller, head, setHeader, needs)
  }

  const admitCaller = (caller: Caller, head: RequestHead, setHeader: SetHeader, needs: Needs) => {
    const enter = () =>
      recogniseShopper(checkRights(caller, head, needs.scope, options), needs, head.headers, setHeader)
    const goOn = (counted: Counted) => {
      settle(counted, setHeader)
      return enter()
    }
    if (caller.key === null) return enter()
    const counted = countRequest(caller.key, options)
    return counted instanceof Promise ? counted.then(goOn) : goOn(counted)
  }

  /** For an unknown `/v1` route: a known key is counted as on any other, and nobody is told more than 404. */
  const countUnknownRoute = async (headers: IncomingHttpHeaders, setHeader: SetHeader) => {
    const { secret, conflict } = readKeyHeaders(headers)
    const key = secret === undefined || conflict ? undefined : await options.directory.key(secret)
    if (key !== undefined && isAlive(key, options)) settle(await countRequest(key, options), setHeader)
  }

  /**
   * The same decisions for the fast lane, from memory alone. Null means that something is unusual or not known yet, and
   * that the request must come through the gate.
   */
  const recognise: Recognise = (headers, sinceStartMs) => {
    const { 'x-store-key': storeKey, 'x-api-key': apiKey, 'x-outlet-id': outletId, origin, authorization } = headers
    const secret = (storeKey ?? apiKey) as string | undefined
    if (secret === undefined || (apiKey !== undefined && apiKey !== secret)) return null
    if (authorization !== undefined || headers['x-internal-storefront-token'] !== undefined) return null
    const key = options.directory.knownKey(secret, sinceStartMs)
    if (key === undefined || !isAlive(key, options)) return null
    if (origin !== undefined && !mayCallFrom(origin, key.store, options)) return null
    if (outletId !== undefined) {
      const outlet = findOutlet(key.store, outletId as string)
      return outlet === undefined ? null : passFor(key, outlet, options)
    }
    key.pass ??= passFor(key, key.store.defaultOutlet, options)
    return key.pass
  }

  return { admit, recognise, countUnknownRoute }
}

const passFor = (key: Key, outlet: Outlet, options: AccessOptions) => ({
  cacheStore: key.store.id,
  cacheScope: outlet.id,
  scopes: key.scopes,
  count: () => countRequest(key, options),
})

const readKeyHeaders = (headers: IncomingHttpHeaders) => {
  const storeKey = headers['x-store-key'] as string | undefined
  const apiKey = headers['x-api-key'] as string | undefined
  return { secret: storeKey ?? apiKey, conflict: storeKey !== undefined && apiKey !== undefined && storeKey !== apiKey }
}

const identify = (headers: IncomingHttpHeaders, options: AccessOptions): Caller | Promise<Caller> => {
  const { secret, conflict } = readKeyHeaders(headers)
  if (conflict) throw fail('UNAUTHORIZED', 'X-Store-Key and x-api-key name different keys.')
  const token = headers['x-internal-storefront-token'] as string | undefined
  if (token !== undefined) return identifyInternal(token, secret, headers, options)
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
  headers: IncomingHttpHeaders,
  { directory, internalSecrets, services }: AccessOptions,
): Promise<Caller> => {
  const refused = fail('UNAUTHORIZED', 'The internal token is not valid.')
  if (headers.origin !== undefined) throw refused
  const publicId = readInternalToken(token, internalSecrets, services.clock.now())
  const store = publicId === null ? undefined : await directory.storeByPublicId(publicId)
  if (store === undefined) throw refused
  if (secret !== undefined) {
    const key = await directory.key(secret)
    if (key?.store.id !== store.id) throw refused
  }
  return { store, scopes: fullScope, key: null }
}

const countRequest = (key: Key, { services }: AccessOptions): Counted | Promise<Counted> => {
  const nowMs = services.clock.now()
  const count = key.tally(nowMs)
  return typeof count === 'number' ? judge(key, count, nowMs) : count.then((n) => judge(key, n, nowMs))
}

const judge = ({ rateLimit }: Key, count: number, nowMs: number): Counted => {
  const reset = String(secondsToNextWindow(nowMs))
  const left = count > rateLimit ? 0 : rateLimit - count
  return {
    headers: ['ratelimit-limit', String(rateLimit), 'ratelimit-remaining', String(left), 'ratelimit-reset', reset],
    failure:
      count <= rateLimit
        ? null
        : fail('RATE_LIMITED', `Rate limit exceeded: ${rateLimit} requests a minute for this key.`, {
            headers: { 'retry-after': reset },
          }),
  }
}

/** Puts the rate into the answer, and ends a request that was one too many. */
const settle = ({ headers, failure }: Counted, setHeader: SetHeader) => {
  for (let i = 0; i < headers.length; i += 2) setHeader(headers[i] as string, headers[i + 1] as string)
  if (failure !== null) throw failure
}

const checkRights = (
  { store, scopes, key }: Caller,
  { headers, clientAddress }: RequestHead,
  scope: Scope | undefined,
  options: AccessOptions,
): StoreCtx => {
  const { origin } = headers
  if (origin !== undefined && !mayCallFrom(origin, store, options)) {
    throw fail('FORBIDDEN', 'This origin is not on the allowlist of the store.')
  }
  if (scope !== undefined && !scopes.has(scope)) throw fail('FORBIDDEN', `This key does not have the scope ${scope}.`)
  const outlet = findOutlet(store, headers['x-outlet-id'] as string | undefined)
  if (outlet === undefined) throw fail('BAD_REQUEST', 'X-Outlet-Id names no outlet of this store.')
  return {
    ...options.services,
    store,
    outlet,
    scopes,
    clientAddress,
    isBrowserKey: key?.kind === 'browser',
    cacheStore: store.id,
    cacheScope: outlet.id,
  }
}

const mayCallFrom = (origin: string, store: Store, { ownOrigins }: AccessOptions) =>
  store.origins.has(origin) || ownOrigins.has(origin)

const findOutlet = (store: Store, publicId: string | undefined): Outlet | undefined =>
  publicId === undefined ? store.defaultOutlet : store.outlets.find((outlet) => outlet.publicId === publicId)
