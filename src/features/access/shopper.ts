import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { readHeader } from '../../core/headers.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret } from '../../core/secrets.ts'
import { checkFirst } from '../../db/check-first.ts'
import type { SetHeader } from '../../http/door.ts'
import type { Customer, Guest, Shopper, StoreCtx } from '../context.ts'
import { findSession, isCustomer, isSession } from './access.sql.ts'
import { makeGuestToken, newGuestId, readGuestToken } from './guest-token.ts'
import type { Access, StorefrontEndpoint } from './storefront.contract.ts'

/**
 * Identifies the shopper as far as the endpoint needs it. An invalid bearer token is refused everywhere except at
 * sign-in, where an expired session must not lock the customer out.
 */
export const recogniseShopper = (
  ctx: StoreCtx,
  endpoint: Pick<StorefrontEndpoint, 'access' | 'once' | 'lateSession'>,
  headers: IncomingHttpHeaders,
  setHeader: SetHeader,
): StoreCtx | Promise<StoreCtx> => {
  const { access, once, lateSession } = endpoint
  if (access === 'sign-in') return ctx
  const bearer = readBearer(headers)
  if (access === 'store') {
    if (bearer === undefined) return ctx
    return findBearer(ctx, bearer, headers).then(() => ctx)
  }
  const withShopper = (own: StoreCtx, shopper: Shopper) => ({
    ...own,
    // Changes of one shopper are queued, so that a shopper who sends many at once uses one connection.
    db: own.db.inQueue(nameShopper(shopper)),
    shopper,
    outletIsChosen: headers['x-outlet-id'] !== undefined,
    idempotencyKey: once ? readIdempotencyKey(headers) : null,
  })
  const known = lateSession && bearer !== undefined ? findKnown(ctx, access, bearer, headers) : undefined
  if (known !== undefined) {
    const late = checkLate(ctx, known)
    try {
      return withShopper({ ...ctx, ...late }, known)
    } catch (error) {
      // A wrong header. A session that has ended comes first.
      return late.confirm().then(() => Promise.reject(error))
    }
  }
  return identify(ctx, access, bearer, headers, setHeader).then((shopper) => withShopper(ctx, shopper))
}

/** Identifies a shopper within a store, for the queue of changes and for stored answers. */
export const nameShopper = (shopper: Shopper): string =>
  shopper.kind === 'customer' ? shopper.customerId : nameGuest(shopper.guestId)

export const nameGuest = (guestId: string) => `guest ${guestId}`

const identify = async (
  ctx: StoreCtx,
  access: Access,
  bearer: string | undefined,
  headers: IncomingHttpHeaders,
  setHeader: SetHeader,
): Promise<Shopper> => {
  const isNamed = headers['x-customer-id'] !== undefined
  if (access === 'asserted' && !isNamed) throw customerMissing()
  if (bearer !== undefined) return findBearer(ctx, bearer, headers)
  if (access === 'customer') throw signInFirst()
  return isNamed ? findAsserted(ctx, headers) : readGuest(ctx, headers, setHeader)
}

const signInFirst = () =>
  fail('UNAUTHORIZED', 'Sign in first: this needs the bearer token of a customer.', aboutSession('Bearer'))

const customerMissing = () => fail('UNAUTHORIZED', 'The customer is not authenticated: x-customer-id is missing.')

/** Checks that a context created without a request has the shopper that the endpoint needs. */
export const checkShopper = (ctx: StoreCtx & { shopper?: Shopper }, access: Access) => {
  if (access === 'customer' && ctx.shopper?.kind !== 'customer') throw signInFirst()
  if (access === 'asserted' && ctx.shopper?.kind !== 'customer') throw customerMissing()
  if (access === 'shopper' && ctx.shopper === undefined) throw new Error('the context has no shopper')
}

const readGuest = (ctx: StoreCtx, headers: IncomingHttpHeaders, setHeader: SetHeader): Guest => {
  const token = readHeader(headers, 'x-guest-token')
  if (token === undefined) {
    const guest = { kind: 'guest', guestId: newGuestId(), isNew: true } as const
    setHeader('x-guest-token', tokenFor(ctx, guest.guestId))
    return guest
  }
  const known = readGuestToken(ctx.guestTokens, ctx.store.id, token, ctx.clock.now())
  if (known === null) throw invalidGuestToken(ctx)
  if (known.isDueForRenewal) setHeader('x-guest-token', tokenFor(ctx, known.guestId))
  return { kind: 'guest', guestId: known.guestId, isNew: false }
}

const tokenFor = (ctx: StoreCtx, guestId: string) =>
  makeGuestToken(ctx.guestTokens, ctx.store.id, guestId, ctx.clock.now())

/** The response carries a new token, so that the shopper can continue as a new guest. */
export const invalidGuestToken = (ctx: StoreCtx) =>
  fail(
    'BAD_REQUEST',
    'The guest token is invalid: it has expired or was merged. Continue with the new token in this response.',
    {
      headers: { 'x-guest-token': tokenFor(ctx, newGuestId()) },
    },
  )

export const readIdempotencyKey = (headers: IncomingHttpHeaders): string | null => {
  const key = readHeader(headers, 'idempotency-key')
  if (key === undefined) return null
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw fail('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.')
  return key
}

/** The token of `Authorization: Bearer …`, `''` when it is malformed. Other schemes are ignored. */
const readBearer = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization === undefined || !/^bearer\b/i.test(authorization)
    ? undefined
    : (/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '')

/** An invalid store key is 401 too, but must not end the session. Clients tell the two apart by this header. */
const aboutSession = (challenge: string) => ({ headers: { 'www-authenticate': challenge } })

const findBearer = async (ctx: StoreCtx, token: string, headers: IncomingHttpHeaders): Promise<Customer> => {
  const sessionHash = hashSecret(token)
  const customerId = token.startsWith('ses_') ? await findSession(ctx.db, ctx.store.id, sessionHash) : undefined
  if (customerId === undefined) throw invalidSession()
  ctx.knownSessions.note(ctx.store.id, sessionHash, customerId)
  if (!namesNoOther(headers, customerId))
    throw fail('UNAUTHORIZED', 'x-customer-id does not match the customer of the session.')
  return { kind: 'customer', customerId, sessionHash }
}

const invalidSession = () =>
  fail('UNAUTHORIZED', 'The session is not valid. Sign in again.', aboutSession('Bearer error="invalid_token"'))

const namesNoOther = (headers: IncomingHttpHeaders, customerId: string) => {
  const asserted = headers['x-customer-id']
  return asserted === undefined || asserted === customerId
}

type SignedIn = Customer & { sessionHash: string }

/** The customer of a session that is known here, if nothing but the session can be wrong with the request. */
const findKnown = (
  { store, knownSessions }: StoreCtx,
  access: Access,
  token: string,
  headers: IncomingHttpHeaders,
): SignedIn | undefined => {
  if (access === 'asserted') return undefined
  const sessionHash = hashSecret(token)
  const customerId = knownSessions.find(store.id, sessionHash)
  if (customerId === undefined || !namesNoOther(headers, customerId)) return undefined
  return { kind: 'customer', customerId, sessionHash }
}

/** The session is checked with what the database is first asked for. */
const checkLate = ({ db, store, knownSessions }: StoreCtx, { customerId, sessionHash }: SignedIn) =>
  checkFirst(db, {
    condition: isSession(store.id, sessionHash, customerId),
    ask: async (queries) => {
      if ((await findSession(queries, store.id, sessionHash)) === customerId) return
      knownSessions.forget(store.id, sessionHash)
      throw invalidSession()
    },
  })

/** A customer asserted by a storefront's own server. Browsers send `Origin`, so they are excluded. */
const findAsserted = async (ctx: StoreCtx, headers: IncomingHttpHeaders): Promise<Customer> => {
  const customerId = mustExist(readHeader(headers, 'x-customer-id'), 'x-customer-id')
  const counts = ctx.scopes.has('customers:assert') && headers.origin === undefined
  if (!counts || !(await isCustomer(ctx.db, ctx.store.id, customerId)))
    throw fail('UNAUTHORIZED', 'x-customer-id is not accepted: send the bearer token of the customer.')
  return { kind: 'customer', customerId, sessionHash: null }
}
