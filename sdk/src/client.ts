import { type Call, createCaller } from './call.ts'
import { isVitrineError, SessionEnded, VitrineError } from './errors.ts'
import { makeMethods, type Run } from './methods.ts'
import { type Operation, type Operations, operations } from './operations.ts'
import type { CallOptions, ClientOptions, Merged, Redirect, Session, SignInOptions } from './options.ts'
import { PagedList, toPage } from './paging.ts'
import type { Input } from './request.ts'
import { isObject, type Reply } from './send.ts'
import { openState, type State } from './state.ts'
import { memoryStorage } from './storage.ts'
import type { MergeResult } from './types.ts'

export interface Client extends Operations {
  /** The session of the signed-in customer; null for a guest. */
  session(): Promise<Session | null>
  /** The token that identifies the guest; null before the first call of a guest. */
  guestToken(): Promise<string | null>
  /** The id of the shopper's cart, if an answer has contained it. */
  cartId(): Promise<string | null>
  /** Deletes the stored session, guest and cart id, without a call to the service. */
  forget(): Promise<void>
}

/** A client for one store. Its methods are built from the table in operations.ts. */
export const createClient = (options: ClientOptions): Client => {
  const state = openState(options.storage ?? memoryStorage())
  const call = createCaller(options, state)
  return {
    ...makeMethods<Operation, Operations, CallOptions>(operations, (operation) => runnerOf(operation, call, state)),
    session: state.session,
    guestToken: state.guestToken,
    cartId: state.cartId,
    forget: state.forget,
  }
}

const runnerOf = (operation: Operation, call: Call, state: State): Run<CallOptions> => {
  if (operation.paged) {
    return (input, given) =>
      new PagedList((cursor) => call(operation, cursor === null ? input : { ...input, cursor }, given).then(toPage))
  }
  if (operation === operations.requestOtp) return (input, given) => requestCode(operation, call, state, input, given)
  if (operation === operations.verifyOtp) return (input, given) => verifyCode(operation, call, state, input, given)
  if (operation.signsIn) return (input, given) => signIn(operation, call, state, input, given)
  if (operation.redirect) return (input, given) => call(operation, input, given).then(toRedirect)
  const answer = (input: Input, given: CallOptions | undefined) =>
    call(operation, input, given).then(({ body }) => body)
  return operation === operations.logOut ? (input, given) => answer(input, given).catch(ignoreEndedSession) : answer
}

/** Logging out of a session that has already ended succeeds. */
const ignoreEndedSession = (error: unknown) => {
  if (error instanceof SessionEnded) return { success: true }
  throw error
}

const toRedirect = ({ headers, status }: Reply): Redirect => {
  const location = headers.get('location')
  // Browsers do not expose the target of a redirect.
  if (location === null)
    throw new VitrineError('BAD_ANSWER', 'The target of the redirect is not visible in a browser.', { status })
  return { location }
}

type SignedIn = { token: string; expiresAt: string; customer?: { id: string }; user?: { id: string } }

const signIn = async (operation: Operation, call: Call, state: State, input: Input, given: SignInOptions = {}) => {
  const answer = (await call(operation, input, given)).body as SignedIn
  const { token, expiresAt, customer, user } = answer
  await state.beginSession({ token, expiresAt, customerId: (customer ?? user)?.id ?? '' })
  return given.merge ? { ...answer, ...(await mergeGuest(call, state, given)) } : answer
}

/**
 * The `requestToken` of the answer binds the code to this client. The token of an earlier sign-in is sent with the
 * request, as proof that this client has signed in before.
 */
const requestCode = async (operation: Operation, call: Call, state: State, input: Input, given?: CallOptions) => {
  const { body } = await call(operation, withToken(input, await state.otpProof()), given).catch(async (error) => {
    // The message may still arrive, and its code does not belong to the previous request token.
    if (isVitrineError(error, 'BAD_GATEWAY')) await state.dropOtpRequest()
    throw error
  })
  const requestToken = isObject(body) ? body.requestToken : undefined
  if (typeof requestToken === 'string' && requestToken !== '') await state.keepOtpRequest(requestToken)
  return body
}

const verifyCode = async (operation: Operation, call: Call, state: State, input: Input, given?: SignInOptions) => {
  const sent = withToken(input, await state.otpRequest())
  const answer = await signIn(operation, call, state, sent, given)
  if (sent.requestToken) await state.keepOtpProof(String(sent.requestToken))
  return answer
}

/** A token from the caller takes precedence. */
const withToken = (input: Input, requestToken: string | null): Input =>
  requestToken === null ? input : { requestToken, ...input }

/** The sign-in has already succeeded, so an error of the merge is returned, not thrown. */
const mergeGuest = async (call: Call, state: State, { signal, headers, timeoutMs }: SignInOptions): Promise<Merged> => {
  const guestToken = await state.guestToken()
  if (guestToken === null) return { merged: null, mergeError: null }
  try {
    const { body } = await call(operations.mergeGuestData, { guestToken }, { signal, headers, timeoutMs })
    return { merged: (body as MergeResult).merged, mergeError: null }
  } catch (error) {
    if (!isVitrineError(error)) throw error
    // The service does not know this guest, or no longer, so there is nothing to merge.
    if (error.code !== 'BAD_REQUEST') return { merged: null, mergeError: error }
    await state.dropGuestToken(guestToken)
    return { merged: null, mergeError: null }
  }
}
