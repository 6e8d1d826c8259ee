import { VitrineError } from './errors.ts'
import { type Operation, operations } from './operations.ts'
import type { CallOptions, ClientOptions, Session } from './options.ts'
import { makeRequest } from './request.ts'
import { type Patience, sleepFor, tryAgain } from './retry.ts'
import { type Reply, sendOnce } from './send.ts'
import { isOtherGuest, type State } from './state.ts'

/** Who a call is made as: a customer, a guest, or nobody in particular. */
type Identity = { session: Session | null; guest: string | null }

const nobody: Identity = { session: null, guest: null }

export type Call = (operation: Operation, input: Record<string, unknown>, options?: CallOptions) => Promise<Reply>

/** Makes calls: with the right identity, as often as is safe, and learning from every answer who the shopper is. */
export const createCaller = (options: ClientOptions, state: State): Call => {
  const url = options.url.replace(/\/+$/, '')
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const patience: Patience = {
    retries: options.retries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 60,
    sleep: options.sleep ?? sleepFor,
  }
  const ownHeaders: Record<string, string> = { accept: 'application/json', 'x-store-key': options.storeKey }
  if (options.outletId !== undefined) ownHeaders['x-outlet-id'] = options.outletId
  addHeaders(ownHeaders, options.headers)

  const call: Call = async (operation, input, given = {}) => {
    const { address, body } = makeRequest(url, operation, input)
    const headers = { ...ownHeaders }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (operation.once) headers['idempotency-key'] = given.idempotencyKey ?? randomKey()
    addHeaders(headers, given.headers)

    const callAs = (identity: Identity) => {
      addIdentity(headers, operation, identity)
      const init: RequestInit = { method: operation.method, headers }
      if (body !== undefined) init.body = body
      if (operation.redirect) init.redirect = 'manual'
      const timeoutMs = given.timeoutMs ?? options.timeoutMs ?? 30_000
      const look = isPersonal(operation)
        ? (answered: Headers, status: number) => learn(operation, identity, answered, status)
        : undefined
      const sending = { fetch, address, init, timeoutMs, signal: given.signal, look }
      return mayRepeat(operation) ? tryAgain(() => sendOnce(sending), patience, given.signal) : sendOnce(sending)
    }

    if (!isPersonal(operation) || identifying.some((name) => name in headers)) return callAs(nobody)
    const identity = await identify(operation)
    try {
      return await callAs(identity)
    } catch (error) {
      const goOnAs = error instanceof VitrineError ? await afterRefusal(error, identity) : null
      if (goOnAs === null) throw error
      return callAs(goOnAs)
    }
  }

  const identify = async ({ access, once, path }: Operation): Promise<Identity> => {
    const session = await state.session()
    if (session !== null || access !== 'shopper') return { session, guest: null }
    if (once && (await state.guestToken()) === null) await becomeGuest(path)
    return { session, guest: await state.guestToken() }
  }

  /** Who the same call can be made as instead. A session that is over is not replaced: whoever it was must sign in. */
  const afterRefusal = async ({ status }: VitrineError, { session, guest }: Identity): Promise<Identity | null> => {
    if (session !== null && status === 401 && (await state.endSession(session.token))) options.onSignedOut?.()
    if (guest === null || status !== 400) return null
    const fresh = await state.guestToken()
    return fresh !== null && isOtherGuest(fresh, guest) ? { session: null, guest: fresh } : null
  }

  let becoming: Promise<unknown> | null = null

  /**
   * The service can tell a repeated creation from a second one only for a guest whom it knows, and two first calls at
   * once would make two guests, of whom one is lost. So a guest is made by a harmless read, once for all who wait.
   */
  const becomeGuest = async (path: string) => {
    const read = guestReads.find((candidate) => path.startsWith(candidate.path)) ?? operations.listCartItems
    becoming ??= call(read, {}).finally(() => {
      becoming = null
    })
    await becoming
  }

  const learn = async (operation: Operation, { guest, session }: Identity, answered: Headers, status: number) => {
    const token = answered.get('x-guest-token')
    if (token !== null && session === null) await state.keepGuestToken(guest, token)
    const cartId = answered.get('x-cart-id')
    const hasNoCart = status === 200 && operation === operations.listCartItems
    if (cartId !== null || hasNoCart) await state.keepCartId(cartId)
  }

  return call
}

/** What makes a guest without changing anything; a key may be good for one of them alone. */
const guestReads = [operations.listCartItems, operations.listWishlist]

/** A caller who says who is shopping is not contradicted: a server may vouch for a customer. */
const identifying = ['authorization', 'x-customer-id', 'x-guest-token']

const isPersonal = ({ access }: Operation) => access !== 'store' && access !== 'sign-in'

const addIdentity = (headers: Record<string, string>, { access }: Operation, { session, guest }: Identity) => {
  if (session !== null) headers.authorization = `Bearer ${session.token}`
  if (session !== null && access === 'asserted') headers['x-customer-id'] = session.customerId
  if (guest !== null) headers['x-guest-token'] = guest
}

/** A GET that hands out a link counts as a use of it, so it is no plain read. */
const mayRepeat = ({ method, once, redirect }: Operation) => once === true || (method === 'GET' && !redirect)

/** Not `randomUUID`, which browsers hide from pages without TLS. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const addHeaders = (headers: Record<string, string>, more: Record<string, string> | undefined) => {
  for (const name in more) headers[name.toLowerCase()] = more[name] as string
}
