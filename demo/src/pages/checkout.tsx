import { useEffect, useRef, useState } from 'preact/hooks'
import { dropDrafts, useDraft, useLoad } from '../../../ui/load.ts'
import { navigate } from '../../../ui/router.ts'
import { Button, Empty, Heading, Problem, Skeleton } from '../../../ui/states.tsx'
import { cart, emptiedText, loadCart, openDrawer } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { emptyAddress, toAddress } from '../parts/address-form.tsx'
import { AddressChoice, emptyDraft, PaymentChoice } from '../parts/checkout-choices.tsx'
import { WithSummary } from '../parts/order-summary.tsx'
import { goToPayment } from '../parts/payment.ts'
import { SignInForm } from '../parts/sign-in.tsx'
import { session } from '../session.ts'
import { type Cart, type Customer, isVitrineError, shop } from '../shop.ts'

export const CheckoutPage = () => {
  const state = cart.value
  const known = session.value
  if (state.status === 'loading' || known === null) {
    return (
      <>
        <Heading title="Checkout" />
        <Skeleton lines={6} />
      </>
    )
  }
  return (
    <>
      <Heading title="Checkout" />
      {state.status === 'failed' ? (
        <Problem error={state.error} onRetry={loadCart} />
      ) : state.cart === null || state.cart.items.length === 0 ? (
        <Empty title="Your cart is empty">
          <p>{state.wasEmptied ? emptiedText : 'There is nothing to check out yet.'}</p>
          <p class="row centred">
            <a class="button" href="/">
              Start shopping
            </a>
            {known.customerId === null && (
              <a class="button quiet" href="/sign-in?next=/checkout">
                Sign in to see your cart
              </a>
            )}
          </p>
        </Empty>
      ) : (
        <WithSummary cart={state.cart}>
          {known.customerId === null ? (
            <section class="panel" aria-labelledby="who">
              <h2 id="who">Sign in to continue</h2>
              <p>Your cart is moved to your account.</p>
              <SignInForm />
            </section>
          ) : (
            <CheckoutForm key={known.customerId} cart={state.cart} />
          )}
        </WithSummary>
      )}
    </>
  )
}

type CheckoutError = { text: string; action?: 'cart' | 'orders' }

/** Waits for the customer, whose name and phone number fill in the form. It works without them if loading fails. */
const CheckoutForm = ({ cart: shown }: { cart: Cart }) => {
  const { loaded } = useLoad('customer', (signal) => shop.showCustomer({ signal }))
  const addresses = useAddresses()
  const needsAddress = useNeedsAddress(shown)
  if (loaded.status === 'loading') return <Skeleton lines={6} />
  const customer = loaded.status === 'ready' ? loaded.value : null
  return <FilledForm cart={shown} customer={customer} addresses={addresses} needsAddress={needsAddress} />
}

const useAddresses = () =>
  useLoad('addresses', async (signal) => (await shop.listAddresses({ limit: 50 }, { signal })).items)

const FilledForm = ({
  cart: shown,
  customer,
  addresses,
  needsAddress,
}: {
  cart: Cart
  customer: Customer | null
  addresses: ReturnType<typeof useAddresses>
  needsAddress: boolean | null
}) => {
  const ownAddress = { ...emptyAddress, name: customer?.name ?? '', phone: customer?.phone ?? '' }
  const [draft, setDraft] = useDraft('checkout', { ...emptyDraft, address: ownAddress })
  const [checkoutError, setCheckoutError] = useState<CheckoutError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const book = addresses.loaded.status === 'ready' ? addresses.loaded.value : []
  const chosenId = book.some(({ id }) => id === draft.addressId) ? draft.addressId : (book[0]?.id ?? 'new')
  const addressId = draft.addressId === 'new' ? 'new' : chosenId
  const method = needsAddress ? draft.method : 'online'

  /** The address part of the checkout request. A new address is saved first if the customer chose that. */
  const resolveAddress = async () => {
    if (!needsAddress) return {}
    if (addressId !== 'new' && addressId !== null) return { addressId }
    if (!draft.savesAddress) return { shippingAddress: toAddress(draft.address) }
    const saved = await shop.addAddress(toAddress(draft.address))
    addresses.replace([...book, saved])
    setDraft({ ...draft, addressId: saved.id, address: ownAddress })
    return { addressId: saved.id }
  }
  const placeOrder = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setCheckoutError(null)
    try {
      const { order, payment } = await shop.checkOut({
        ...(await resolveAddress()),
        version: shown.version,
        expectedTotal: shown.total,
        paymentMethod: method,
        storefrontUrl: location.origin,
        ...(draft.note.trim() ? { note: draft.note.trim() } : {}),
      })
      const isBack = await goToPayment(payment.redirectUrl)
      void loadCart()
      if (isBack) return setBusy(false)
      // A shopper who returns from the payment page may need the draft again. Here nothing is left to pay.
      dropDrafts('checkout')
      navigate(`/orders/${order.id}?placed=1`)
    } catch (error) {
      setCheckoutError(describeError(error))
      setBusy(false)
      await loadCart()
    }
  }

  return (
    <form class="form checkout-form" onSubmit={placeOrder}>
      {needsAddress === null ? (
        <Skeleton lines={4} />
      ) : needsAddress ? (
        <AddressChoice addresses={addresses} addressId={addressId} draft={draft} onChange={setDraft} />
      ) : (
        <p class="panel">Your cart contains only downloads, so no address is needed.</p>
      )}
      <PaymentChoice
        method={method}
        allowsCash={needsAddress !== false}
        onChange={(next) => setDraft({ ...draft, method: next })}
      />
      <label class="field">
        <span>
          Order note <span class="quiet-text">(optional)</span>
        </span>
        <textarea
          rows={2}
          maxLength={500}
          value={draft.note}
          onInput={(event) => setDraft({ ...draft, note: event.currentTarget.value })}
        />
      </label>
      {checkoutError && <CheckoutAlert error={checkoutError} />}
      <Button type="submit" class="wide" isBusy={isBusy} disabled={needsAddress === null}>
        {method === 'cod' ? 'Place order' : `Pay ${money(shown.total, shown.currency)}`}
      </Button>
      <p class="quiet-text">
        {method === 'cod' ? 'You pay when it arrives.' : "You pay on our payment provider's page and then return here."}
      </p>
    </form>
  )
}

/** Whether anything has to be shipped; null while loading. Products say whether they are digital, cart lines do not. */
const useNeedsAddress = (shown: Cart): boolean | null => {
  const slugs = [...new Set(shown.items.map(({ product }) => product.slug))].sort()
  const { loaded } = useLoad(`shipped ${slugs.join()}`, async (signal) => {
    const products = await Promise.all(slugs.map((idOrSlug) => shop.showProduct({ idOrSlug }, { signal })))
    return products.some(({ digital }) => !digital)
  })
  if (loaded.status === 'ready') return loaded.value
  // If the products cannot be loaded, an address does no harm.
  return loaded.status === 'failed' ? true : null
}

const describeError = (error: unknown): CheckoutError => {
  if (isVitrineError(error, 'STALE_CHECKOUT')) {
    return { text: 'Your cart has changed since you last saw it. Please check the new total, then try again.' }
  }
  if (isVitrineError(error, 'INSUFFICIENT_STOCK')) {
    return { text: 'Some items are no longer available in this quantity. Please check your cart.', action: 'cart' }
  }
  if (isVitrineError(error, 'COUPON_EXPIRED') || isVitrineError(error, 'COUPON_INVALID')) {
    return { text: `${error.message} Remove the code to continue without it.` }
  }
  if (isVitrineError(error, 'CONFLICT')) return { text: error.message, action: 'orders' }
  if (isVitrineError(error, 'BAD_GATEWAY')) {
    return { text: 'Our payment provider cannot be reached at the moment. Please try again shortly.' }
  }
  return { text: errorText(error) }
}

const CheckoutAlert = ({ error }: { error: CheckoutError }) => {
  const ref = useRef<HTMLDivElement>(null)
  // Each new error is scrolled into view.
  useEffect(() => ref.current?.scrollIntoView({ block: 'nearest' }), [error])
  return (
    <div class="problem" role="alert" ref={ref}>
      <p>{error.text}</p>
      {error.action === 'cart' && (
        <button type="button" class="button quiet small" onClick={openDrawer}>
          View your cart
        </button>
      )}
      {error.action === 'orders' && (
        <a class="button quiet small" href="/orders">
          See your orders
        </a>
      )}
    </div>
  )
}
