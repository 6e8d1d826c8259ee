import { signal } from '@preact/signals'
import { clearNotice, showNotice } from '../../ui/notice.ts'
import { notifyOtherTabs, session } from './session.ts'
import { type Cart, isVitrineError, shop } from './shop.ts'

type CartState =
  | { status: 'loading'; cart: null }
  | { status: 'failed'; cart: null; error: unknown }
  /** `wasEmptied`: it had items, and another tab or device removed them. */
  | { status: 'ready'; cart: Cart | null; wasEmptied: boolean }

export const cart = signal<CartState>({ status: 'loading', cart: null })
export const isDrawerOpen = signal(false)

export const openDrawer = () => {
  isDrawerOpen.value = true
}
export const closeDrawer = () => {
  // Otherwise a screen reader would announce the notice again outside the drawer.
  if (isDrawerOpen.value) clearNotice()
  isDrawerOpen.value = false
  const state = cart.value
  // Shown only once.
  if (state.status === 'ready' && state.wasEmptied) cart.value = { ...state, wasEmptied: false }
}

/** Counts reads and writes, so that an answer that arrives after a later one is ignored. */
let latestRequest = 0

export const loadCart = async () => {
  const request = ++latestRequest
  try {
    const read = await readCart()
    if (request === latestRequest) showRead(read)
  } catch (error) {
    if (request === latestRequest && cart.value.status !== 'ready') cart.value = { status: 'failed', cart: null, error }
  }
}

const isEmpty = (shown: Cart | null) => shown === null || shown.items.length === 0

let isRefused = false

/**
 * An order of this page empties the cart too, but never while the drawer is open or a change is refused. So in these
 * cases the cart was emptied elsewhere.
 */
const showRead = (read: Cart | null) => {
  const before = cart.value
  const isNewlyEmptied = !isEmpty(before.cart) && (isRefused || isDrawerOpen.value)
  const wasEmptied = isEmpty(read) && (isNewlyEmptied || (before.status === 'ready' && before.wasEmptied))
  cart.value = { status: 'ready', cart: read, wasEmptied }
  if (wasEmptied && isNewlyEmptied) showNotice(emptiedText, { isQuiet: true })
}

export const emptiedText = 'Your cart was emptied or ordered in another tab or on another device.'

/** One customer must never see the cart of another, even when their own cannot be loaded. */
export const resetCart = () => {
  cart.value = { status: 'loading', cart: null }
}

const readCart = async (): Promise<Cart | null> => {
  // A visitor without a token has no cart, and reading one would create a guest.
  if (!session.value?.customerId && (await shop.guestToken()) === null) return null
  const knownId = await shop.cartId()
  const read = knownId === null ? null : await orNull(shop.showCart({ cartId: knownId }))
  if (read !== null) return read
  // The client learns the cart id from this answer, which is no error when there is no cart.
  await shop.listCartItems()
  const foundId = await shop.cartId()
  return foundId === null ? null : orNull(shop.showCart({ cartId: foundId }))
}

const orNull = async (reading: Promise<Cart>): Promise<Cart | null> => {
  try {
    return await reading
  } catch (error) {
    if (isVitrineError(error, 'NOT_FOUND')) return null
    throw error
  }
}

let queue: Promise<unknown> = Promise.resolve()

/** Writes one change after another, because two quick clicks could otherwise arrive out of order. */
const write = (change: () => Promise<Cart>): Promise<Cart> => {
  const written = queue.then(async () => {
    try {
      const changed = await change()
      latestRequest++
      cart.value = { status: 'ready', cart: changed, wasEmptied: false }
      notifyOtherTabs()
      return changed
    } catch (error) {
      // Most refusals mean that the page shows an outdated cart, price or stock.
      isRefused = true
      await loadCart()
      isRefused = false
      throw error
    }
  })
  queue = written.catch(() => {})
  return written
}

const currentId = () => cart.value.cart?.id ?? ''

export const addToCart = (item: { productId: string; variantId?: string; quantity: number }) =>
  write(() => shop.addToCart(item))

export const setQuantity = (itemId: string, quantity: number) =>
  write(() => shop.changeCartItem({ cartId: currentId(), itemId, quantity }))

export const removeItem = (itemId: string) => write(() => shop.removeCartItem({ cartId: currentId(), itemId }))

export const setCoupon = (couponCode: string | null) =>
  write(() => shop.changeCart({ cartId: currentId(), couponCode }))

/** Writing a line again accepts its current price. */
export const acceptPrices = () => {
  const { cart: shown } = cart.value
  const changed = new Set(shown?.warnings.filter(({ code }) => code === 'PRICE_CHANGED').map(({ itemId }) => itemId))
  const items = (shown?.items ?? []).filter(({ id }) => changed.has(id)).map(({ id, quantity }) => ({ id, quantity }))
  return write(() => shop.changeCart({ cartId: currentId(), items }))
}
