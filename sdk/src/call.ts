import { SessionOver, VitrineError } from './errors.ts'
import { learn } from './learn.ts'
import { type Operation, operations } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { makeRequest } from './request.ts'
import { type Patience, tryAgain } from './retry.ts'
import { type Reply, sendOnce } from './send.ts'
import { guestOf, type Identity, type State } from './state.ts'
import { sleepFor, within } from './time.ts'

type Input = Record<string, unknown>

export type Call = (operation: Operation, input: Input, options?: CallOptions, patience?: Patience) => Promise<Reply>

const usualTimeoutMs = 30_000

const nobody: Identity = { session: null, guest: null }

/** Makes calls: with the right identity, as often as is safe, and learning from every answer who the shopper is. */
export const createCaller = (options: ClientOptions, state: State): Call => {
  if (!/^https?:\/\/[^/]/.test(options.url))
    throw new TypeError(`"${options.url}" is not an address: begin with https://`)
  if (!options.storeKey) throw new TypeError('A store key is needed.')
  let { url } = options
  while (url.endsWith('/')) url = url.slice(0, -1)
  const outlet = options.outletId === undefined ? {} : { 'x-outlet-id': options.outletId }
  const fixed = toHeaders({
    accept: 'application/json',
    'x-store-key': options.storeKey,
    ...outlet,
    ...options.headers,
  })
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const usual: Patience = {
    retries: options.retries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 60,
    sleep: options.sleep ?? sleepFor,
  }
  const timeoutOf = ({ timeoutMs }: CallOptions) => timeoutMs ?? options.timeoutMs ?? usualTimeoutMs

  const call: Call = async (operation, input, given = {}, patience = usual) => {
    const { address, body } = makeRequest(url, operation, input)
    const headers: Headings = { ...fixed }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (operation.once) Object.assign(headers, toHeaders({ 'idempotency-key': given.idempotencyKey ?? randomKey() }))
    if (given.headers !== undefined) Object.assign(headers, toHeaders(given.headers))
    const isOwn = isPersonal(operation) && !identifying.some((name) => name in headers)

    const callAs = (identity: Identity) => {
      const init: RequestInit = { method: operation.method, headers: withIdentity(headers, operation, identity) }
      if (body !== undefined) init.body = body
      if (operation.redirect) init.redirect = 'manual'
      const look = isOwn
        ? (answered: Headers, status: number) => learn(state, operation, input, identity, answered, status)
        : undefined
      const { signal } = given
      const timeoutMs = timeoutOf(given)
      // A read that nobody gave a limit of their own is only given up after the usual one: it can do no harm.
      const isStopped = operation.method !== 'GET' || signal !== undefined || timeoutMs !== usualTimeoutMs
      const sending = { fetch, address, init, timeoutMs, signal, isStopped, look }
      return mayRepeat(operation) ? tryAgain(() => sendOnce(sending), patience, given.signal) : sendOnce(sending)
    }

    if (!isOwn) return callAs(nobody)
    const identity = await identify(operation, given)
    try {
      return await callAs(identity)
    } catch (error) {
      if (error instanceof SessionOver) await noteSignedOut(error, operation, identity)
      if (!(await wasReplaced(error, identity))) throw error
      return await callAs(await identify(operation, given))
    } finally {
      // Whoever logs out is logged out here, even when the service could not be told.
      if (operation === operations.logOut && identity.session) await state.endSession(identity.session.token)
    }
  }

  const identify = async ({ access, once, path }: Operation, given: CallOptions): Promise<Identity> => {
    const known = await whoIsIt(access)
    if (!once || access !== 'shopper' || known.session !== null || known.guest !== null) return known
    await becomeGuest(path, given)
    return whoIsIt(access)
  }

  const whoIsIt = async (access: Operation['access']): Promise<Identity> => {
    const session = await state.session()
    return { session, guest: session === null && access === 'shopper' ? await state.guestToken() : null }
  }

  const noteSignedOut = async (error: SessionOver, operation: Operation, { session }: Identity) => {
    if (operation === operations.logOut || session === null) return
    if (!(await state.endSession(session.token))) return
    try {
      options.onSignedOut?.()
    } catch (thrown) {
      error.cause = thrown
    }
  }

  /**
   * A refused guest may have been replaced: by a new guest, whose token came with the refusal, or by a customer who
   * signed in elsewhere. An expired session is not replaced: its customer must sign in again.
   */
  const wasReplaced = async (error: unknown, { guest }: Identity) =>
    guest !== null &&
    error instanceof VitrineError &&
    error.code === 'BAD_REQUEST' &&
    guestOf(await state.guestToken()) !== guestOf(guest)

  let becoming: Promise<unknown> | null = null

  /**
   * The service can tell a repeated creation from a second one only for a guest whom it knows, and two first calls at
   * once would make two guests, of whom one is lost. So a guest is made by a harmless read, once for all who wait. Each
   * of them waits, and tries again, as long as its own caller wants.
   */
  const becomeGuest = (path: string, given: CallOptions) => {
    const read = guestReads.find((candidate) => path.startsWith(candidate.path)) ?? operations.listCartItems
    const join = () => {
      becoming ??= call(read, {}, {}, { ...usual, retries: 0 }).finally(() => {
        becoming = null
      })
      return becoming
    }
    return tryAgain(() => within(join, timeoutOf(given), given.signal), usual, given.signal)
  }

  return call
}

/** What makes a guest without changing anything; a key may be good for one of them alone. */
const guestReads = [operations.listCartItems, operations.listWishlist]

/** A caller who says who is shopping is not contradicted, and nothing is learned: a server may vouch for a customer. */
const identifying = ['authorization', 'x-customer-id', 'x-guest-token']

const isPersonal = ({ access }: Operation) => access !== 'store' && access !== 'sign-in'

const withIdentity = (headers: Headings, { access }: Operation, { session, guest }: Identity): Headings => {
  if (session === null) return guest === null ? headers : { ...headers, 'x-guest-token': guest }
  const proven = { ...headers, authorization: `Bearer ${session.token}` }
  return access === 'asserted' ? { ...proven, 'x-customer-id': session.customerId } : proven
}

/** A GET that hands out a link counts as a use of it, so it is no plain read. */
const mayRepeat = ({ method, once, redirect }: Operation) => once === true || (method === 'GET' && !redirect)

/** Not `randomUUID`, which browsers hide from pages without TLS. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** By their names in small letters. A plain object, because `fetch` would copy any other kind. */
type Headings = Record<string, string>

/** What no header can hold is a mistake of the caller, and must not look like a fault of the network. */
const toHeaders = (given: Record<string, string>): Headings => {
  const headers: Headings = {}
  for (const [name, value] of Object.entries(given)) {
    try {
      new Headers().set(name, value)
    } catch (cause) {
      throw new TypeError(`The header ${name} cannot be sent: it has characters that no header can hold.`, { cause })
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}
