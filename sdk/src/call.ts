import { SessionEnded, VitrineError } from './errors.ts'
import { type Operation, operations } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { makeRequest } from './request.ts'
import { type RetryPolicy, withRetries } from './retry.ts'
import { type Reply, sendOnce } from './send.ts'
import { guestOf, type Identity, type State } from './state.ts'
import { sleepFor, withTimeout } from './time.ts'
import { updateState } from './update-state.ts'

type Input = Record<string, unknown>

export type Call = (operation: Operation, input: Input, options?: CallOptions, policy?: RetryPolicy) => Promise<Reply>

const defaultTimeoutMs = 30_000

const anonymous: Identity = { session: null, guest: null }

/** Makes calls as the current shopper, retries them when that is safe, and updates the state from every answer. */
export const createCaller = (options: ClientOptions, state: State): Call => {
  if (!/^https?:\/\/[^/]/.test(options.url))
    throw new TypeError(`url must start with https:// or http://, not "${options.url}".`)
  if (!options.storeKey) throw new TypeError('storeKey is required.')
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
  const defaultPolicy: RetryPolicy = {
    retries: options.retries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 60,
    sleep: options.sleep ?? sleepFor,
  }
  const timeoutOf = ({ timeoutMs }: CallOptions) => timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs

  const call: Call = async (operation, input, given = {}, policy = defaultPolicy) => {
    const { address, body } = makeRequest(url, operation, input)
    const headers: HeaderMap = { ...fixed }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (operation.once) Object.assign(headers, toHeaders({ 'idempotency-key': given.idempotencyKey ?? randomKey() }))
    if (given.headers !== undefined) Object.assign(headers, toHeaders(given.headers))
    const isOwn = isPersonal(operation) && !identifying.some((name) => name in headers)

    const callAs = (identity: Identity) => {
      const init: RequestInit = { method: operation.method, headers: withIdentity(headers, operation, identity) }
      if (body !== undefined) init.body = body
      if (operation.redirect) init.redirect = 'manual'
      const onHeaders = isOwn
        ? (answered: Headers, status: number) => updateState(state, operation, input, identity, answered, status)
        : undefined
      const { signal } = given
      const timeoutMs = timeoutOf(given)
      // A read with the default timeout and no signal is not aborted, only ignored: it can do no harm.
      const isAbortable = operation.method !== 'GET' || signal !== undefined || timeoutMs !== defaultTimeoutMs
      const sending = { fetch, address, init, timeoutMs, signal, isAbortable, onHeaders }
      return isRetryable(operation) ? withRetries(() => sendOnce(sending), policy, given.signal) : sendOnce(sending)
    }

    if (!isOwn) return callAs(anonymous)
    const identity = await identify(operation, given)
    try {
      return await callAs(identity)
    } catch (error) {
      if (error instanceof SessionEnded) await handleSessionEnd(error, operation, identity)
      if (!(await wasReplaced(error, identity))) throw error
      return await callAs(await identify(operation, given))
    } finally {
      // The session is dropped here even when the service could not be reached.
      if (operation === operations.logOut && identity.session) await state.endSession(identity.session.token)
    }
  }

  const identify = async ({ access, once, path }: Operation, given: CallOptions): Promise<Identity> => {
    const known = await readIdentity(access)
    if (!once || access !== 'shopper' || known.session !== null || known.guest !== null) return known
    await becomeGuest(path, given)
    return readIdentity(access)
  }

  const readIdentity = async (access: Operation['access']): Promise<Identity> => {
    const session = await state.session()
    return { session, guest: session === null && access === 'shopper' ? await state.guestToken() : null }
  }

  const handleSessionEnd = async (error: SessionEnded, operation: Operation, { session }: Identity) => {
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

  let pendingGuest: Promise<unknown> | null = null

  /**
   * Idempotency keys need a guest that the service knows, and two concurrent first calls would create two guests, of
   * which one is lost. So one harmless read creates the guest for all waiting calls. Each call has its own timeout,
   * retries and signal.
   */
  const becomeGuest = (path: string, given: CallOptions) => {
    const read = guestReads.find((candidate) => path.startsWith(candidate.path)) ?? operations.listCartItems
    const join = () => {
      pendingGuest ??= call(read, {}, {}, { ...defaultPolicy, retries: 0 }).finally(() => {
        pendingGuest = null
      })
      return pendingGuest
    }
    return withRetries(() => withTimeout(join, timeoutOf(given), given.signal), defaultPolicy, given.signal)
  }

  return call
}

/** Reads that create a guest and change nothing else. A key may have the scope of only one of them. */
const guestReads = [operations.listCartItems, operations.listWishlist]

/** With one of these headers the caller names the shopper, as a server does. The client then sends no identity. */
const identifying = ['authorization', 'x-customer-id', 'x-guest-token']

const isPersonal = ({ access }: Operation) => access !== 'store' && access !== 'sign-in'

const withIdentity = (headers: HeaderMap, { access }: Operation, { session, guest }: Identity): HeaderMap => {
  if (session === null) return guest === null ? headers : { ...headers, 'x-guest-token': guest }
  const proven = { ...headers, authorization: `Bearer ${session.token}` }
  return access === 'asserted' ? { ...proven, 'x-customer-id': session.customerId } : proven
}

/** A GET with a redirect is not retried, because each call counts as a download. */
const isRetryable = ({ method, once, redirect }: Operation) => once === true || (method === 'GET' && !redirect)

/** Not `randomUUID`, which browsers provide only in secure contexts. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** By lower-case name. A plain object, because `fetch` would copy a `Headers`. */
type HeaderMap = Record<string, string>

/** Checks header values here, because `fetch` would report an invalid one like a network error. */
const toHeaders = (given: Record<string, string>): HeaderMap => {
  const headers: HeaderMap = {}
  for (const [name, value] of Object.entries(given)) {
    try {
      new Headers().set(name, value)
    } catch (cause) {
      throw new TypeError(
        `The header ${name} is invalid: its name or value has characters that a header must not have.`,
        { cause },
      )
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}
