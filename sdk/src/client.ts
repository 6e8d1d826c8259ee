import { type Call, createCaller } from './call.ts'
import { isVitrineError, SessionOver, VitrineError } from './errors.ts'
import { type Operation, type Operations, operations } from './operations.ts'
import type { CallOptions, ClientOptions, Merged, Redirect, Session, SignInOptions } from './options.ts'
import { type Page, PagedList } from './paging.ts'
import { isObject, type Reply } from './send.ts'
import { openState, type State } from './state.ts'
import { memoryStorage } from './storage.ts'
import type { MergeResult } from './types.ts'

export interface Client extends Operations {
  /** What signing in left behind; null when nobody is signed in. */
  session(): Promise<Session | null>
  /** The token that makes the guest the same guest again. */
  guestToken(): Promise<string | null>
  /** The shopper's own cart, as far as answers have told it. */
  cartId(): Promise<string | null>
  /** Drops the session, the guest and the cart, without telling the service. */
  forget(): Promise<void>
}

type Input = Record<string, unknown>

/** A client of one store. The operations are those of the table, built in a loop: see operations.ts. */
export const createClient = (options: ClientOptions): Client => {
  const state = openState(options.storage ?? memoryStorage())
  const call = createCaller(options, state)
  const client: Record<string, unknown> = {
    session: state.session,
    guestToken: state.guestToken,
    cartId: state.cartId,
    forget: state.forget,
  }
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const run = runnerOf(operation, call, state)
    client[name] = takesInput(operation)
      ? (input: Input = {}, given?: CallOptions) => run(input, given)
      : (given?: CallOptions) => run({}, given)
  }
  return client as unknown as Client
}

const takesInput = ({ path, query, body }: Operation) => query === true || body === true || path.includes('{')

type Run = (input: Input, given: CallOptions | undefined) => unknown

const runnerOf = (operation: Operation, call: Call, state: State): Run => {
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
  return operation === operations.logOut ? (input, given) => answer(input, given).catch(isOverAlready) : answer
}

/** Whoever logs out of a session that is over has what they want. */
const isOverAlready = (error: unknown) => {
  if (error instanceof SessionOver) return { success: true }
  throw error
}

const toPage = ({ body, headers, status }: Reply): Page<unknown> => {
  if (Array.isArray(body)) return { items: body, nextCursor: headers.get('x-next-cursor') }
  const { data, nextCursor, hasMore: _, ...beside } = isObject(body) ? body : {}
  if (!Array.isArray(data)) throw new VitrineError('BAD_ANSWER', 'The answer is not a page of a list.', { status })
  return { items: data, nextCursor: typeof nextCursor === 'string' ? nextCursor : null, ...beside }
}

const toRedirect = ({ headers, status }: Reply): Redirect => {
  const location = headers.get('location')
  // Browsers keep the target of a redirect to themselves.
  if (location === null)
    throw new VitrineError('BAD_ANSWER', 'The address of the file cannot be seen here.', { status })
  return { location }
}

type SignedIn = { token: string; expiresAt: string; customer?: { id: string }; user?: { id: string } }

const signIn = async (operation: Operation, call: Call, state: State, input: Input, given: SignInOptions = {}) => {
  const answer = (await call(operation, input, given)).body as SignedIn
  const { token, expiresAt, customer, user } = answer
  await state.beginSession({ token, expiresAt, customerId: (customer ?? user)?.id ?? '' })
  return given.merge ? { ...answer, ...(await mergeGuest(call, state, given)) } : answer
}

/** The token of the answer binds the code to this client. One that has signed in before proves who asks now. */
const requestCode = async (operation: Operation, call: Call, state: State, input: Input, given?: CallOptions) => {
  const { body } = await call(operation, withToken(input, await state.otpProof()), given).catch(async (error) => {
    // The message may arrive all the same, and its code is not that of the request before.
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

/** A token that the caller gives is not contradicted. */
const withToken = (input: Input, requestToken: string | null): Input =>
  requestToken === null ? input : { requestToken, ...input }

/** Signing in went well by now, so nothing that goes wrong here may look as if it had not. */
const mergeGuest = async (call: Call, state: State, { signal, headers, timeoutMs }: SignInOptions): Promise<Merged> => {
  const guestToken = await state.guestToken()
  if (guestToken === null) return { merged: null, mergeError: null }
  try {
    const { body } = await call(operations.mergeGuestData, { guestToken }, { signal, headers, timeoutMs })
    return { merged: (body as MergeResult).merged, mergeError: null }
  } catch (error) {
    if (!isVitrineError(error)) throw error
    // A guest whom the service does not know, or no longer, has nothing that could be moved.
    if (error.code !== 'BAD_REQUEST') return { merged: null, mergeError: error }
    await state.dropGuestToken(guestToken)
    return { merged: null, mergeError: null }
  }
}
