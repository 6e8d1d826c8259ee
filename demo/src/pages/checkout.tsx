import { useEffect, useRef, useState } from 'preact/hooks'
import { cart, emptiedText, loadCart, openDrawer } from '../cart.ts'
import { errorText, money } from '../format.ts'
import { dropDrafts, useDraft, useLoad } from '../load.ts'
import { emptyAddress, toAddress } from '../parts/address-form.tsx'
import { AddressChoice, emptyDraft, PaymentChoice } from '../parts/checkout-choices.tsx'
import { WithSummary } from '../parts/order-summary.tsx'
import { goToPayment } from '../parts/payment.ts'
import { SignInForm } from '../parts/sign-in.tsx'
import { Button, Empty, Heading, Problem, Skeleton } from '../parts/states.tsx'
import { navigate } from '../router.ts'
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
              Look around
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
              <h2 id="who">Who are you?</h2>
              <p>Sign in with your phone number to go on. Your cart comes along.</p>
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

type Fault = { text: string; action?: 'cart' | 'orders' }

/** Who signs in has proved a phone number, so it need not be typed again. Without it the form works as well. */
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
  const [fault, setFault] = useState<Fault | null>(null)
  const [isBusy, setBusy] = useState(false)
  const book = addresses.loaded.status === 'ready' ? addresses.loaded.value : []
  const chosenId = book.some(({ id }) => id === draft.addressId) ? draft.addressId : (book[0]?.id ?? 'new')
  const addressId = draft.addressId === 'new' ? 'new' : chosenId
  const method = needsAddress ? draft.method : 'online'

  /** The id of the address to send to. A new one is kept first when that was wished for. */
  const settleAddress = async () => {
    if (!needsAddress) return {}
    if (addressId !== 'new' && addressId !== null) return { addressId }
    if (!draft.isKept) return { shippingAddress: toAddress(draft.address) }
    const kept = await shop.addAddress(toAddress(draft.address))
    addresses.replace([...book, kept])
    setDraft({ ...draft, addressId: kept.id, address: ownAddress })
    return { addressId: kept.id }
  }
  const place = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setFault(null)
    try {
      const { order, payment } = await shop.checkOut({
        ...(await settleAddress()),
        version: shown.version,
        expectedTotal: shown.total,
        paymentMethod: method,
        storefrontUrl: location.origin,
        ...(draft.note.trim() ? { note: draft.note.trim() } : {}),
      })
      const isBack = await goToPayment(payment.redirectUrl)
      void loadCart()
      if (isBack) return setBusy(false)
      // Who comes back from paying may need the draft again. Here nothing is left to pay.
      dropDrafts('checkout')
      navigate(`/orders/${order.id}?placed=1`)
    } catch (error) {
      setFault(faultOf(error))
      setBusy(false)
      await loadCart()
    }
  }

  return (
    <form class="form checkout-form" onSubmit={place}>
      {needsAddress === null ? (
        <Skeleton lines={4} />
      ) : needsAddress ? (
        <AddressChoice addresses={addresses} addressId={addressId} draft={draft} onChange={setDraft} />
      ) : (
        <p class="panel">Your cart holds only files, so we need no address.</p>
      )}
      <PaymentChoice
        method={method}
        canBeCash={needsAddress !== false}
        onChange={(next) => setDraft({ ...draft, method: next })}
      />
      <label class="field">
        <span>
          Note for us <span class="quiet-text">(optional)</span>
        </span>
        <textarea
          rows={2}
          maxLength={500}
          value={draft.note}
          onInput={(event) => setDraft({ ...draft, note: event.currentTarget.value })}
        />
      </label>
      {fault && <CheckoutFault fault={fault} />}
      <Button type="submit" class="wide" isBusy={isBusy} disabled={needsAddress === null}>
        {method === 'cod' ? 'Place order' : `Pay ${money(shown.total, shown.currency)}`}
      </Button>
      <p class="quiet-text">
        {method === 'cod'
          ? 'You pay when it arrives.'
          : 'You pay on the page of our payment provider and then come back.'}
      </p>
    </form>
  )
}

/** Whether anything has to be shipped; null while it is not known. Lines do not tell, products do. */
const useNeedsAddress = (shown: Cart): boolean | null => {
  const slugs = [...new Set(shown.items.map(({ product }) => product.slug))].sort()
  const { loaded } = useLoad(`shipped ${slugs.join()}`, async (signal) => {
    const products = await Promise.all(slugs.map((idOrSlug) => shop.showProduct({ idOrSlug }, { signal })))
    return products.some(({ digital }) => !digital)
  })
  if (loaded.status === 'ready') return loaded.value
  // When in doubt an address is asked for: it does no harm.
  return loaded.status === 'failed' ? true : null
}

const faultOf = (error: unknown): Fault => {
  if (isVitrineError(error, 'STALE_CHECKOUT')) {
    return { text: 'Your cart has changed since you last saw it. Please check the new total, then go on.' }
  }
  if (isVitrineError(error, 'INSUFFICIENT_STOCK')) {
    return { text: 'Some things are no longer there in that number. Please look at your cart.', action: 'cart' }
  }
  if (isVitrineError(error, 'COUPON_EXPIRED') || isVitrineError(error, 'COUPON_INVALID')) {
    return { text: `${error.message} Take the code off to go on without it.` }
  }
  if (isVitrineError(error, 'CONFLICT')) return { text: error.message, action: 'orders' }
  if (isVitrineError(error, 'BAD_GATEWAY')) {
    return { text: 'Our payment provider cannot be reached at the moment. Please try again shortly.' }
  }
  return { text: errorText(error) }
}

const CheckoutFault = ({ fault }: { fault: Fault }) => {
  const ref = useRef<HTMLDivElement>(null)
  // Each new fault is brought into view.
  useEffect(() => ref.current?.scrollIntoView({ block: 'nearest' }), [fault])
  return (
    <div class="problem" role="alert" ref={ref}>
      <p>{fault.text}</p>
      {fault.action === 'cart' && (
        <button type="button" class="button quiet small" onClick={openDrawer}>
          Look at your cart
        </button>
      )}
      {fault.action === 'orders' && (
        <a class="button quiet small" href="/orders">
          See your orders
        </a>
      )}
    </div>
  )
}
