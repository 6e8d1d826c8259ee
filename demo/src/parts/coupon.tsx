import { useId, useState } from 'preact/hooks'
import { setCoupon } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { useLoad } from '../load.ts'
import { tell } from '../notice.ts'
import { session } from '../session.ts'
import { type Cart, type Coupon, shop } from '../shop.ts'
import { Button } from './states.tsx'

const reasons: Record<string, string> = {
  NOT_FOUND: 'We do not know this code.',
  EXPIRED: 'This code is no longer valid.',
  NOT_STARTED: 'This code is not valid yet.',
  MIN_SUBTOTAL: 'Your cart is too small for this code.',
  USAGE_LIMIT: 'This code has been used up.',
  NOT_APPLICABLE: 'This code is not for the things in your cart.',
  MISSING_CODE: 'Please type a code.',
}

export const CouponForm = ({ cart, hasOffers = false }: { cart: Cart; hasOffers?: boolean }) => {
  const isSignedIn = Boolean(session.value?.customerId)
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const faultId = useId()

  const work = async (doing: () => Promise<string | null>) => {
    if (isBusy) return
    setBusy(true)
    try {
      setFault(await doing())
    } catch (error) {
      setFault(errorText(error))
    }
    setBusy(false)
  }
  const apply = (wanted: string) =>
    work(async () => {
      const trimmed = wanted.trim().toUpperCase()
      if (trimmed === '') return reasons.MISSING_CODE ?? null
      if (isSignedIn) {
        const { valid, reason } = await shop.validateCoupon({ code: trimmed, cartId: cart.id })
        if (!valid) return reasons[reason ?? ''] ?? 'This code gives nothing here.'
      }
      const changed = await setCoupon(trimmed)
      // Only customers may ask about a code beforehand. A guest's is tried, and taken off when it gives nothing.
      const refused = changed.warnings.find((warning) => warning.code === 'COUPON_REMOVED')
      if (refused) {
        await setCoupon(null)
        return refused.message
      }
      setCode('')
      tell(
        changed.discount > 0 ? `${trimmed} saves ${money(changed.discount, changed.currency)}.` : `${trimmed} is in.`,
        { about: 'cart' },
      )
      return null
    })
  const takeOff = () =>
    work(async () => {
      await setCoupon(null)
      tell('The code was taken off.', { about: 'cart' })
      return null
    })

  return (
    <div class="coupon">
      {cart.couponCode ? (
        <p class="coupon-on">
          <span>
            Code <strong>{cart.couponCode}</strong>
          </span>
          <button type="button" class="text-button" aria-label={`Remove code ${cart.couponCode}`} onClick={takeOff}>
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
              aria-describedby={fault ? faultId : undefined}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
          <Button type="submit" class="quiet" isBusy={isBusy}>
            Apply
          </Button>
        </form>
      )}
      {fault && (
        <p class="fault" role="alert" id={faultId}>
          {fault}
        </p>
      )}
      {hasOffers && isSignedIn && !cart.couponCode && <CouponOffers cart={cart} onPick={apply} />}
    </div>
  )
}

const CouponOffers = ({ cart, onPick }: { cart: Cart; onPick: (code: string) => void }) => {
  const { loaded } = useLoad('coupons', async (signal) => (await shop.listCoupons({ limit: 4 }, { signal })).items)
  // Offers are an extra: without them the field still works.
  if (loaded.status !== 'ready' || loaded.value.length === 0) return null
  const isTooSmall = (offer: Coupon) => offer.minSubtotal > cart.subtotal
  const offers = [...loaded.value.filter((offer) => !isTooSmall(offer)), ...loaded.value.filter(isTooSmall)]
  return (
    <ul class="offers" aria-label="Offers of this shop">
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
