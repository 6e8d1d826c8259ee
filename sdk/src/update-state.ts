import { type Operation, operations } from './operations.ts'
import type { Identity, State } from './state.ts'

/** Updates the guest token, cart id and session from an answer, whether the call succeeded or not. */
export const updateState = async (
  state: State,
  operation: Operation,
  input: Record<string, unknown>,
  identity: Identity,
  answered: Headers,
  status: number,
) => {
  const token = answered.get('x-guest-token')
  const shopper = token !== null && identity.session === null ? await state.keepGuestToken(identity, token) : identity
  const cartId = answered.get('x-cart-id')
  const hasNoCart = status === 200 && operation === operations.listCartItems
  if (cartId !== null || hasNoCart) await state.keepCartId(shopper, cartId)
  if (status >= 300) return
  // Only after success: without the session, the call could not be repeated.
  if (operation === operations.logOutEverywhere && identity.session) await state.endSession(identity.session.token)
  if (operation === operations.mergeGuestData) await state.dropGuestToken(String(input.guestToken))
  if (operation === operations.deleteCart) await state.dropCartId(String(input.cartId))
}
