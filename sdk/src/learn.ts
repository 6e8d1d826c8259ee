import { type Operation, operations } from './operations.ts'
import type { Identity, State } from './state.ts'

/** Keeps what an answer tells about the shopper, whether the call went well or not. */
export const learn = async (
  state: State,
  operation: Operation,
  input: Record<string, unknown>,
  asked: Identity,
  answered: Headers,
  status: number,
) => {
  const token = answered.get('x-guest-token')
  const shopper = token !== null && asked.session === null ? await state.keepGuestToken(asked, token) : asked
  const cartId = answered.get('x-cart-id')
  const hasNoCart = status === 200 && operation === operations.listCartItems
  if (cartId !== null || hasNoCart) await state.keepCartId(shopper, cartId)
  if (status >= 300) return
  // Only once the service has done it: with the session dropped before, it could not be tried again.
  if (operation === operations.logOutEverywhere && asked.session) await state.endSession(asked.session.token)
  if (operation === operations.mergeGuestData) await state.dropGuestToken(String(input.guestToken))
  if (operation === operations.deleteCart) await state.dropCartId(String(input.cartId))
}
