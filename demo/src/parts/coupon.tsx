import { useId, useState } from 'preact/hooks'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button } from '../../../ui/states.tsx'
import { setCoupon } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { session } from '../session.ts'
import { type Cart, type Coupon, shop } from '../shop.ts'

const reasons: Record<string, string> = {
  NOT_FOUND: 'This code does not exist.',
  EXPIRED: 'This code is no longer valid.',
  NOT_STARTED: 'This code is not valid yet.',
  MIN_SUBTOTAL: 'Your cart total is too low for this code.',
  USAGE_LIMIT: 'This code has reached its usage limit.',
  NOT_APPLICABLE: 'This code does not apply to the items in your cart.',
  MISSING_CODE: 'Please enter a code.',
}

export const CouponForm = ({ cart, hasOffers = false }: { cart: Cart; hasOffers?: boolean }) => {
  const isSignedIn = Boolean(session.value?.customerId)
  const [code, setCode] = useState('')
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const errorId = useId()

  const work = async (doing: () => Promise<string | null>) => {
    if (isBusy) return
    setBusy(true)
    try {
      setErrorMessage(await doing())
    } catch (error) {
      setErrorMessage(errorText(error))
    }
    setBusy(false)
  }
  const apply = (wanted: string) =>
    work(async () => {
      const trimmed = wanted.trim().toUpperCase()
      if (trimmed === '') return reasons.MISSING_CODE ?? null
      if (isSignedIn) {
        const { valid, reason } = await shop.validateCoupon({ code: trimmed, cartId: cart.id })
        if (!valid) return reasons[reason ?? ''] ?? 'This code cannot be applied.'
      }
      const changed = await setCoupon(trimmed)
      // Only customers may validate a code. A guest's code is applied, and removed again when it has no effect.
      const refused = changed.warnings.find((warning) => warning.code === 'COUPON_REMOVED')
      if (refused) {
        await setCoupon(null)
        return refused.message
      }
      setCode('')
      showNotice(
        changed.discount > 0
          ? `${trimmed} saves ${money(changed.discount, changed.currency)}.`
          : `${trimmed} was applied.`,
        { about: 'cart' },
      )
      return null
    })
  const removeCode = () =>
    work(async () => {
      await setCoupon(null)
      showNotice('The code was removed.', { about: 'cart' })
      return null
    })

  return (
    <div class="coupon">
      {cart.couponCode ? (
        <p class="coupon-on">
          <span>
            Code <strong>{cart.couponCode}</strong>
          </span>
          <button type="button" class="text-button" aria-label={`Remove code ${cart.couponCode}`} onClick={removeCode}>
            Remove
          </button>
        </p>
      ) : (
        <form
          class="coupon-form"
          onSubmit={(event) => {
            event.preventDefault()
            void apply(code)
          }}
        >
          <label class="field">
            <span>Coupon code</span>
            <input
              value={code}
              maxLength={40}
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              aria-invalid={Boolean(errorMessage)}
              aria-describedby={errorMessage ? errorId : undefined}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
          <Button type="submit" class="quiet" isBusy={isBusy}>
            Apply
          </Button>
        </form>
      )}
      {errorMessage && (
        <p class="error" role="alert" id={errorId}>
          {errorMessage}
        </p>
      )}
      {hasOffers && isSignedIn && !cart.couponCode && <CouponOffers cart={cart} onPick={apply} />}
    </div>
  )
}

const CouponOffers = ({ cart, onPick }: { cart: Cart; onPick: (code: string) => void }) => {
  const { loaded } = useLoad('coupons', async (signal) => (await shop.listCoupons({ limit: 4 }, { signal })).items)
  // Offers are optional: without them the field still works.
  if (loaded.status !== 'ready' || loaded.value.length === 0) return null
  const isTooSmall = (offer: Coupon) => offer.minSubtotal > cart.subtotal
  const offers = [...loaded.value.filter((offer) => !isTooSmall(offer)), ...loaded.value.filter(isTooSmall)]
  return (
    <ul class="offers" aria-label="Available offers">
      {offers.map((offer) => (
        <li key={offer.code}>
          <button type="button" class="offer" disabled={isTooSmall(offer)} onClick={() => onPick(offer.code)}>
            <strong>{offer.code}</strong> <span>{offer.description}</span>{' '}
            {isTooSmall(offer) && <span class="offer-from">from {money(offer.minSubtotal, cart.currency)}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
