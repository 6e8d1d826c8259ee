import { SessionEnded, VitrineError } from './errors.ts'
import { type Operation, operations } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import type { Input } from './request.ts'
import { type RetryPolicy, withRetries } from './retry.ts'
import { type Reply, readJson } from './send.ts'
import { createSender, type HeaderMap } from './sender.ts'
import { guestOf, type Identity, type State } from './state.ts'
import { withTimeout } from './time.ts'
import { updateState } from './update-state.ts'

export type Call = (operation: Operation, input: Input, options?: CallOptions, policy?: RetryPolicy) => Promise<Reply>

const anonymous: Identity = { session: null, guest: null }

/** Makes calls as the current shopper, retries them when that is safe, and updates the state from every answer. */
export const createCaller = (options: ClientOptions, state: State): Call => {
  if (!options.storeKey) throw new TypeError('storeKey is required.')
  const outlet = options.outletId === undefined ? {} : { 'x-outlet-id': options.outletId }
  const { prepare, defaultPolicy, timeoutOf } = createSender(options, {
    'x-store-key': options.storeKey,
    ...outlet,
  })

  const call: Call = async (operation, input, given = {}, policy = defaultPolicy) => {
    const { headers, send } = prepare(operation, input, given)
    const isOwn = isPersonal(operation) && !identifying.some((name) => name in headers)

    const callAs = (identity: Identity) => {
      const onHeaders = isOwn
        ? (answered: Headers, status: number) => updateState(state, operation, input, identity, answered, status)
        : undefined
      return send(withIdentity(headers, operation, identity), readJson, onHeaders, policy)
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
