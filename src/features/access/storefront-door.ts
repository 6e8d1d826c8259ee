import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { chooseLanguage } from '../../core/languages.ts'
import type { OnDisconnect } from '../../core/on-disconnect.ts'
import { noCaller } from '../../db/queueing.ts'
import type { ReadClientAddress } from '../../http/client-address.ts'
import type { Arrival, Door, RequestContext, SetHeader } from '../../http/door.ts'
import type { Counted, Recognise, Recognised } from '../../http/fast-lane.ts'
import type { Outlet, PublicCtx, Services, Shopper, Store, StoreCtx } from '../context.ts'
import { type Directory, fullScope, type Key } from './directory.ts'
import { readInternalToken } from './internal-token.ts'
import { secondsToNextWindow, windowMs } from './rate-limit.ts'
import { checkShopper, recogniseShopper } from './shopper.ts'
import { type Scope, type StorefrontEndpoint, storefront } from './storefront.contract.ts'

export type AccessOptions = {
  services: Services
  directory: Directory
  internalSecrets: readonly string[]
  /** Origins of this service's own pages. Every store allows them. */
  ownOrigins: ReadonlySet<string>
  clientAddressOf: ReadClientAddress
}

/** A store with one of its keys, or a trusted server with an internal token (`key` is null). */
type Caller = { store: Store; scopes: ReadonlySet<Scope>; key: Key | null }

/** The part of a request that identifies the caller. */
type RequestHead = Pick<Arrival, 'headers' | 'clientAddress'>

/**
 * The door of the storefront. Checks in this order: caller, rate limit, origin, scope, outlet, shopper. With a cached
 * key it stays synchronous up to the shopper.
 */
export const createStorefrontDoor = (options: AccessOptions) => {
  const admit = (arrival: Arrival<StorefrontEndpoint>): RequestContext | Promise<RequestContext> => {
    if (arrival.route.endpoint.access === 'public') return publicCtx(arrival)
    const proceed = (caller: Caller) => admitCaller(caller, arrival)
    const caller = identify(arrival, options)
    return caller instanceof Promise ? caller.then(proceed) : proceed(caller)
  }

  const admitCaller = (caller: Caller, arrival: Arrival<StorefrontEndpoint>) => {
    const { headers, setHeader, onDisconnect } = arrival
    const { endpoint } = arrival.route
    const enter = () => {
      const ctx = checkRights(caller, arrival, endpoint.scope, options, onDisconnect)
      return recogniseShopper(ctx, endpoint, headers, setHeader)
    }
    const proceed = (counted: Counted) => {
      applyRate(counted, setHeader)
      return enter()
    }
    if (caller.key === null) return enter()
    const counted = countRequest(caller.key, arrival, options)
    return counted instanceof Promise ? counted.then(proceed) : proceed(counted)
  }

  const door: Door<StorefrontEndpoint> = { family: storefront, admit, authorize }

  /** Requests to unknown `/v1` routes count for their key as well. */
  const countUnknownRoute = async (head: RequestHead, setHeader: SetHeader) => {
    const { secret, conflict } = readKeyHeaders(head.headers)
    const key = secret === undefined || conflict ? undefined : await options.directory.key(secret, head.clientAddress)
    if (key !== undefined && isUnexpired(key, options)) applyRate(await countRequest(key, head, options), setHeader)
  }

  // Results for requests without X-Outlet-Id. Reading a key again makes a new object, which drops its entry.
  const passes = new WeakMap<Key, Recognised>()

  /**
   * The same decisions for the fast lane, from the cache only. Null: something is not cached or needs a full check, so
   * the request must go through `admit`.
   */
  const recognise: Recognise = (headers, sinceStartMs) => {
    const { secret, conflict } = readKeyHeaders(headers)
    if (secret === undefined || conflict) return null
    const { 'x-outlet-id': outletId, origin, authorization } = headers
    if (authorization !== undefined || headers['x-internal-storefront-token'] !== undefined) return null
    const key = options.directory.cachedKey(secret, sinceStartMs)
    if (key === undefined || !isUnexpired(key, options) || key.store.isClosed) return null
    if (origin !== undefined && !mayCallFrom(origin, key.store, options)) return null
    if (outletId !== undefined) {
      const outlet = findOutlet(key.store, outletId as string)
      return outlet === undefined ? null : passFor(key, outlet, options)
    }
    let pass = passes.get(key)
    if (pass === undefined) {
      pass = passFor(key, key.store.defaultOutlet, options)
      passes.set(key, pass)
    }
    return pass
  }

  return { door, recognise, countUnknownRoute }
}

const publicCtx = ({ clientAddress }: Arrival): PublicCtx => ({ cacheStore: 0, cacheScope: 0, clientAddress })

/** The scope and shopper checks of `admit`, for contexts that were created without a request. */
const authorize = (ctx: unknown, { access, scope }: StorefrontEndpoint) => {
  if (access === 'public') return
  const known = ctx as StoreCtx & { shopper?: Shopper }
  checkScope(known.scopes, scope)
  checkShopper(known, access)
}

const checkScope = (scopes: ReadonlySet<Scope>, scope: Scope | undefined) => {
  if (scope !== undefined && !scopes.has(scope)) throw fail('FORBIDDEN', `This key does not have the scope ${scope}.`)
}

const passFor = (key: Key, outlet: Outlet, options: AccessOptions): Recognised => {
  let ctx: Omit<StoreCtx, 'db'> | undefined
  return {
    storeId: key.store.publicId,
    cacheStore: key.store.id,
    cacheScope: outlet.id,
    mayRead: ({ scope }: StorefrontEndpoint) => scope !== undefined && key.scopes.has(scope),
    readCtx: () => {
      ctx ??= {
        ...options.services,
        ...{ store: key.store, outlet, scopes: key.scopes, isBrowserKey: key.isBrowserKey },
        // The answer is for all callers, so nothing of one may be in it.
        ...{ clientAddress: '', language: null },
        ...{ cacheStore: key.store.id, cacheScope: outlet.id },
        isCurrent: () => options.directory.isCurrent(key.store),
      }
      // Its waits count together, and the disconnect of one caller must not abort the read for others.
      return { ...ctx, db: options.services.db.forStore(key.store.id, noCaller.onDisconnect) }
    },
    // `recognise` has already refused origins that may not use the key.
    count: (request: IncomingMessage) =>
      key.isBrowserKey
        ? countVisit(key, options.clientAddressOf(request), options)
        : countForKey(key, options.services.clock.now()),
  }
}

const readKeyHeaders = (headers: IncomingHttpHeaders) => {
  const storeKey = readHeader(headers, 'x-store-key')
  const apiKey = readHeader(headers, 'x-api-key')
  return { secret: storeKey ?? apiKey, conflict: storeKey !== undefined && apiKey !== undefined && storeKey !== apiKey }
}

const identify = (head: RequestHead, options: AccessOptions): Caller | Promise<Caller> => {
  const { headers, clientAddress } = head
  const { secret, conflict } = readKeyHeaders(headers)
  if (conflict) throw fail('UNAUTHORIZED', 'X-Store-Key and x-api-key name different keys.')
  const token = readHeader(headers, 'x-internal-storefront-token')
  if (token !== undefined) return identifyInternal(token, secret, head, options)
  if (!secret) throw fail('UNAUTHORIZED', 'A store key is required: send it as X-Store-Key or x-api-key.')
  const key = options.directory.key(secret, clientAddress)
  return key instanceof Promise ? key.then((found) => callerOf(found, options)) : callerOf(key, options)
}

const callerOf = (key: Key | undefined, options: AccessOptions): Caller => {
  if (key === undefined || !isUnexpired(key, options)) throw fail('UNAUTHORIZED', 'The store key is not valid.')
  return { store: key.store, scopes: key.scopes, key }
}

const isUnexpired = (key: Key, { services }: AccessOptions) => services.clock.now() < key.expiresAtMs

const identifyInternal = async (
  token: string,
  secret: string | undefined,
  { headers, clientAddress }: RequestHead,
  { directory, internalSecrets, services }: AccessOptions,
): Promise<Caller> => {
  const refused = fail('UNAUTHORIZED', 'The internal token is not valid.')
  if (headers.origin !== undefined) throw refused
  const publicId = readInternalToken(token, internalSecrets, services.clock.now())
  const store = publicId === null ? undefined : await directory.storeByPublicId(publicId)
  if (store === undefined) throw refused
  if (secret !== undefined) {
    const key = await directory.key(secret, clientAddress)
    if (key?.store.id !== store.id) throw refused
  }
  return { store, scopes: fullScope, key: null }
}

/**
 * A call with a browser key counts for the visitor and for the key, a call with a server key only for the key. A call
 * from a disallowed origin counts only for the visitor: other sites must not use up the key.
 */
const countRequest = (
  key: Key,
  { headers: { origin }, clientAddress }: RequestHead,
  options: AccessOptions,
): Counted | Promise<Counted> => {
  const nowMs = options.services.clock.now()
  if (origin !== undefined && !mayCallFrom(origin, key.store, options)) {
    return afterCounting(tallyVisitor(key, clientAddress, nowMs, options), (tally) => judge(tally, nowMs))
  }
  return key.isBrowserKey ? countVisit(key, clientAddress, options) : countForKey(key, nowMs)
}

type Tallied = { count: number; limit: number; of: 'key' | 'visitor' }

/** Counts the visitor first, so that a visitor over the limit does not use up the key for others. */
const countVisit = (key: Key, clientAddress: string, options: AccessOptions): Counted | Promise<Counted> => {
  const nowMs = options.services.clock.now()
  return afterCounting(tallyVisitor(key, clientAddress, nowMs, options), (visitor) => {
    if (visitor.count > visitor.limit) return judge(visitor, nowMs)
    return afterCounting(tallyKey(key, nowMs), (whole) => judge(tighterOf(visitor, whole), nowMs))
  })
}

const countForKey = (key: Key, nowMs: number) => afterCounting(tallyKey(key, nowMs), (tally) => judge(tally, nowMs))

const tallyKey = (key: Key, nowMs: number): Tallied | Promise<Tallied> =>
  afterCounting(key.tally(nowMs), (count) => ({ count, limit: key.rateLimit, of: 'key' }))

const tallyVisitor = (
  { store }: Key,
  clientAddress: string,
  nowMs: number,
  { services }: AccessOptions,
): Tallied | Promise<Tallied> =>
  afterCounting(
    services.counter.count(`visitor:${store.id}:${clientAddress}`, windowMs, nowMs, store.visitorLimit),
    (count) => ({ count, limit: store.visitorLimit, of: 'visitor' }),
  )

const tighterOf = (a: Tallied, b: Tallied) => (b.limit - b.count < a.limit - a.count ? b : a)

/** Keeps counting synchronous where the count is known at once. */
const afterCounting = <In, Out>(counted: In | Promise<In>, next: (counted: In) => Out | Promise<Out>) =>
  counted instanceof Promise ? counted.then(next) : next(counted)

const judge = ({ count, limit, of }: Tallied, nowMs: number): Counted => {
  const reset = String(secondsToNextWindow(nowMs))
  const left = count > limit ? 0 : limit - count
  return {
    headers: ['ratelimit-limit', String(limit), 'ratelimit-remaining', String(left), 'ratelimit-reset', reset],
    failure:
      count <= limit
        ? null
        : fail('RATE_LIMITED', `Rate limit exceeded: ${limit} requests a minute for this ${of}.`, {
            headers: { 'retry-after': reset },
          }),
  }
}

/** Sets the rate headers, and throws when the limit is exceeded. */
const applyRate = ({ headers, failure }: Counted, setHeader: SetHeader) => {
  for (let i = 0; i < headers.length; i += 2) setHeader(headers[i] as string, headers[i + 1] as string)
  if (failure !== null) throw failure
}

const checkRights = (
  { store, scopes, key }: Caller,
  { headers, clientAddress }: RequestHead,
  scope: Scope | undefined,
  options: AccessOptions,
  onDisconnect: OnDisconnect,
): StoreCtx => {
  const { directory } = options
  if (store.isClosed) throw fail('FORBIDDEN', 'This store is closed.')
  const { origin } = headers
  if (origin !== undefined && !mayCallFrom(origin, store, options)) {
    throw fail('FORBIDDEN', 'This origin is not on the allowlist of the store.')
  }
  checkScope(scopes, scope)
  const outlet = findOutlet(store, readHeader(headers, 'x-outlet-id'))
  if (outlet === undefined) throw fail('BAD_REQUEST', 'X-Outlet-Id names no outlet of this store.')
  return {
    ...options.services,
    // From here on, database work counts toward the store's share of connections (decision 0021).
    db: options.services.db.forStore(store.id, onDisconnect),
    store,
    outlet,
    scopes,
    clientAddress,
    isBrowserKey: key?.isBrowserKey === true,
    language: chooseLanguage(headers['accept-language']),
    cacheStore: store.id,
    cacheScope: outlet.id,
    isCurrent: () => directory.isCurrent(store),
  }
}

const mayCallFrom = (origin: string, store: Store, { ownOrigins }: AccessOptions) =>
  store.origins.has(origin) || ownOrigins.has(origin)

const findOutlet = (store: Store, publicId: string | undefined): Outlet | undefined =>
  publicId === undefined ? store.defaultOutlet : store.outlets.find((outlet) => outlet.publicId === publicId)
