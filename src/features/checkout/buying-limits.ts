import { fail } from '../../core/errors.ts'
import type { CartToOrder } from '../cart/for-checkout.ts'
import { listPaymentMethods, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { CustomerCtx } from '../context.ts'
import { formatMoney } from '../pricing/coupons.ts'
import type { Unpaid } from './checkout.sql.ts'

type Order = { cart: Pick<CartToOrder, 'lines'>; price: { totalMinor: number }; unpaid: Unpaid | null }

/**
 * Enforces the store's limits on orders that one customer has not paid. The transaction has locked the customer's row,
 * so concurrent checkouts of the same customer are either counted in `unpaid` or still wait for the lock.
 */
export const checkBuyingLimits = (ctx: CustomerCtx, method: PaymentMethod, { cart, price, unpaid }: Order): void => {
  const { store } = ctx
  if (unpaid === null) throw new Error("the customer's unpaid orders were not read")
  const units = cart.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  // An online order with a total of 0 is paid immediately.
  const staysUnpaid = method === 'cod' || price.totalMinor > 0
  if (method === 'cod') checkCash(ctx, { units, totalMinor: price.totalMinor, unpaid })
  if (store.maxHeldUnits !== null && staysUnpaid && unpaid.units + units > store.maxHeldUnits) {
    const limit = `One customer's unpaid orders may hold ${store.maxHeldUnits} units`
    const held = unpaid.units === 0 ? '' : `, and yours hold ${unpaid.units}`
    throw fail('CONFLICT', `${limit}${held}. Order less, or pay or cancel an earlier order first.`)
  }
}

type CashOrder = { units: number; totalMinor: number; unpaid: Unpaid }

const checkCash = (ctx: CustomerCtx, { units, totalMinor, unpaid }: CashOrder) => {
  const { codMaxValueMinor, codMaxUnits, codMaxOpenOrders, codVerifiedPhone } = ctx.store
  const takesOnline = listPaymentMethods(ctx.payments, ctx.store).includes('online')
  const orPayOnline = takesOnline ? ', or pay online' : ''
  if (codVerifiedPhone && !unpaid.customer.hasVerifiedPhone)
    throw fail(
      'FORBIDDEN',
      `Cash on delivery needs a verified phone number. Sign in with a code sent to your phone${orPayOnline}.`,
    )
  if (codMaxValueMinor !== null && totalMinor > codMaxValueMinor) {
    const max = formatMoney(ctx.store, codMaxValueMinor)
    throw fail('CONFLICT', `A cash order is limited to ${max}. Order less${orPayOnline}.`)
  }
  if (codMaxUnits !== null && units > codMaxUnits)
    throw fail('CONFLICT', `A cash order is limited to ${codMaxUnits} units. Order less${orPayOnline}.`)
  if (codMaxOpenOrders !== null && unpaid.cashOrders >= codMaxOpenOrders)
    throw fail(
      'CONFLICT',
      `You have ${unpaid.cashOrders} cash orders that are not delivered yet, which is the limit. Wait until one is delivered${orPayOnline}.`,
    )
}
