import { Empty, Heading, Problem, Skeleton } from '../../../ui/states.tsx'
import { cart, emptiedText, loadCart } from '../cart.ts'
import { FreeDelivery } from '../parts/cart-drawer.tsx'
import { CartLines, CartWarnings } from '../parts/cart-lines.tsx'
import { CouponForm } from '../parts/coupon.tsx'
import { Totals } from '../parts/totals.tsx'
import type { Cart } from '../shop.ts'

/** The contents of the cart drawer as a page of its own. */
export const CartPage = () => {
  const state = cart.value
  return (
    <div class="narrow cart-page">
      <Heading title="Your cart" />
      {state.status === 'loading' && <Skeleton lines={4} />}
      {state.status === 'failed' && <Problem error={state.error} onRetry={loadCart} />}
      {state.status === 'ready' && <CartContents cart={state.cart} wasEmptied={state.wasEmptied} />}
    </div>
  )
}

const CartContents = ({ cart: shown, wasEmptied }: { cart: Cart | null; wasEmptied: boolean }) => {
  if (shown === null || shown.items.length === 0) {
    return (
      <Empty title="Your cart is empty">
        <p>{wasEmptied ? emptiedText : 'Items that you add are saved here for your next visit.'}</p>
        <a class="button" href="/">
          Start shopping
        </a>
      </Empty>
    )
  }
  return (
    <>
      <FreeDelivery cart={shown} />
      <CartWarnings cart={shown} />
      <CartLines cart={shown} />
      <CouponForm cart={shown} hasOffers />
      <Totals sums={shown} couponCode={shown.couponCode} />
      <a class="button wide" href="/checkout">
        Checkout
      </a>
    </>
  )
}
