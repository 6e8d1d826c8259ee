import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { money, plural } from '../format.ts'
import type { Cart } from '../shop.ts'
import { CartLines, CartWarnings } from './cart-lines.tsx'
import { CouponForm } from './coupon.tsx'
import { Totals } from './totals.tsx'

/** The same width as in the style sheets: from there on, the summary is beside the form. */
const wideWindow = matchMedia('(min-width: 56rem)')
const isWide = signal(wideWindow.matches)
wideWindow.addEventListener('change', () => {
  isWide.value = wideWindow.matches
})

/** The summary is beside the form in a wide window, and before it in a narrow one, so that it is seen before paying. */
export const WithSummary = ({ cart, children }: { cart: Cart; children: ComponentChildren }) => {
  const isBeside = isWide.value
  const form = <div key="form">{children}</div>
  const summary = <OrderSummary key="summary" cart={cart} isFolding={!isBeside} />
  return <div class="checkout">{isBeside ? [form, summary] : [summary, form]}</div>
}

const OrderSummary = ({ cart, isFolding }: { cart: Cart; isFolding: boolean }) => {
  const contents = (
    <>
      <CartWarnings cart={cart} />
      <CartLines cart={cart} />
      <CouponForm cart={cart} hasOffers />
      <Totals sums={cart} couponCode={cart.couponCode} />
    </>
  )
  return (
    <aside class="panel summary" aria-labelledby="summary">
      {isFolding ? (
        <Folded cart={cart}>{contents}</Folded>
      ) : (
        <>
          <h2 id="summary" tabIndex={-1}>
            Your order
          </h2>
          {contents}
        </>
      )}
    </aside>
  )
}

const Folded = ({ cart, children }: { cart: Cart; children: ComponentChildren }) => {
  const hasWarnings = cart.warnings.length > 0
  const [isOpen, setOpen] = useState(hasWarnings)
  // The shopper must see a warning before paying.
  useEffect(() => {
    if (hasWarnings) setOpen(true)
  }, [hasWarnings])
  return (
    <details class="folded" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="folded-title">
          <h2 id="summary">Your order</h2>
          <strong>{money(cart.total, cart.currency)}</strong>
        </span>
        <span class="quiet-text">
          {plural(cart.itemCount, 'item')}
          {cart.couponCode ? `, with code ${cart.couponCode}` : '. Show items or add a coupon code'}
        </span>
      </summary>
      {children}
    </details>
  )
}
