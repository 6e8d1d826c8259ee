import { Drawer } from '../../../ui/drawer.tsx'
import { Empty, Notices, Problem, Skeleton } from '../../../ui/states.tsx'
import { cart, closeDrawer, emptiedText, isDrawerOpen, loadCart } from '../cart.ts'
import { money, plural } from '../format.ts'
import type { Cart } from '../shop.ts'
import { storeInfo } from '../state.ts'
import { CartLines, CartWarnings } from './cart-lines.tsx'
import { CouponForm } from './coupon.tsx'
import { Totals } from './totals.tsx'

export const CartDrawer = () => {
  const isOpen = isDrawerOpen.value
  const state = cart.value
  return (
    <Drawer title="Your cart" isOpen={isOpen} onClose={closeDrawer}>
      <Notices isShown={isOpen} />
      {state.status === 'loading' && <Skeleton lines={4} />}
      {state.status === 'failed' && <Problem error={state.error} onRetry={loadCart} />}
      {state.status === 'ready' && <CartContents cart={state.cart} wasEmptied={state.wasEmptied} />}
    </Drawer>
  )
}

const CartContents = ({ cart: shown, wasEmptied }: { cart: Cart | null; wasEmptied: boolean }) => {
  if (shown === null || shown.items.length === 0) {
    return (
      <Empty title="Your cart is empty">
        <p>{wasEmptied ? emptiedText : 'Items that you add are saved here for your next visit.'}</p>
        <button type="button" class="button" onClick={closeDrawer}>
          Continue shopping
        </button>
      </Empty>
    )
  }
  return (
    <>
      <div class="drawer-scroll">
        <FreeDelivery cart={shown} />
        <CartWarnings cart={shown} />
        <CartLines cart={shown} />
        <CouponForm cart={shown} />
        <Totals sums={shown} couponCode={shown.couponCode} />
      </div>
      <div class="drawer-foot">
        <p class="foot-total">
          <span>{plural(shown.itemCount, 'item')}</span>
          <strong>{money(shown.total, shown.currency)}</strong>
        </p>
        <a class="button wide" href="/checkout">
          Checkout
        </a>
      </div>
    </>
  )
}

/** The amount that is missing for free delivery, as text and as a progress bar. */
export const FreeDelivery = ({ cart: shown }: { cart: Cart }) => {
  const from = storeInfo.value?.shipping.freeAbove
  if (!from || (shown.shipping === 0 && shown.subtotal < from)) return null
  const missing = from - (shown.subtotal - shown.discount)
  return (
    <div class="free-delivery">
      <p>{missing > 0 ? `${money(missing, shown.currency)} more for free delivery` : 'Delivery is free.'}</p>
      <progress
        max={from}
        value={Math.min(from, shown.subtotal - shown.discount)}
        aria-label="Progress to free delivery"
      />
    </div>
  )
}
