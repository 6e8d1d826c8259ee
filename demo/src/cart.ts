import { signal } from '@preact/signals'
import { clearNotice, tell } from './notice.ts'
import { session, tellOtherTabs } from './session.ts'
import { type Cart, isVitrineError, shop } from './shop.ts'

type CartState =
  | { status: 'loading'; cart: null }
  | { status: 'failed'; cart: null; error: unknown }
  /** `wasEmptied` when there was something in it that was not taken out on this page. */
  | { status: 'ready'; cart: Cart | null; wasEmptied: boolean }

export const cart = signal<CartState>({ status: 'loading', cart: null })
export const isDrawerOpen = signal(false)

export const openDrawer = () => {
  isDrawerOpen.value = true
}
export const closeDrawer = () => {
  // Outside of the drawer it would be said a second time.
  if (isDrawerOpen.value) clearNotice()
  isDrawerOpen.value = false
  const state = cart.value
  // Said once is enough.
  if (state.status === 'ready' && state.wasEmptied) cart.value = { ...state, wasEmptied: false }
}

/** Counts reads and writes, so that an answer that was overtaken by a later one is not shown. */
let turn = 0

export const loadCart = async () => {
  const mine = ++turn
  try {
    const read = await readCart()
    if (mine === turn) showRead(read)
  } catch (error) {
    if (mine === turn && cart.value.status !== 'ready') cart.value = { status: 'failed', cart: null, error }
  }
}

const isEmpty = (held: Cart | null) => held === null || held.items.length === 0

let isRefused = false

/** An order empties the cart as well. But nobody orders with the drawer open, nor while a change is refused. */
const showRead = (read: Cart | null) => {
  const before = cart.value
  const isNews = !isEmpty(before.cart) && (isRefused || isDrawerOpen.value)
  const wasEmptied = isEmpty(read) && (isNews || (before.status === 'ready' && before.wasEmptied))
  cart.value = { status: 'ready', cart: read, wasEmptied }
  if (wasEmptied && isNews) tell(emptiedText, { isQuiet: true })
}

export const emptiedText = 'Your cart was emptied or ordered elsewhere, in another tab or on another device.'

/** The cart of one customer must not be seen by the next, not even when theirs cannot be loaded. */
export const forgetCart = () => {
  cart.value = { status: 'loading', cart: null }
}

const readCart = async (): Promise<Cart | null> => {
  // A visitor who only looks around has no token, and needs none.
  if (!session.value?.customerId && (await shop.guestToken()) === null) return null
  const known = await shop.cartId()
  const read = known === null ? null : await orNone(shop.showCart({ cartId: known }))
  if (read !== null) return read
  // The list of lines tells which cart it is of, and that there is none without calling that an error.
  await shop.listCartItems()
  const found = await shop.cartId()
  return found === null ? null : orNone(shop.showCart({ cartId: found }))
}

const orNone = async (reading: Promise<Cart>): Promise<Cart | null> => {
  try {
    return await reading
  } catch (error) {
    if (isVitrineError(error, 'NOT_FOUND')) return null
    throw error
  }
}

let queue: Promise<unknown> = Promise.resolve()

/** One write after the other: two quick presses must not overtake each other on the way. */
const write = (change: () => Promise<Cart>): Promise<Cart> => {
  const written = queue.then(async () => {
    try {
      const changed = await change()
      turn++
      cart.value = { status: 'ready', cart: changed, wasEmptied: false }
      tellOtherTabs()
      return changed
    } catch (error) {
      // Most refusals mean that the cart, its prices or the stock are not what the page shows.
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

export const addToCart = (wish: { productId: string; variantId?: string; quantity: number }) =>
  write(() => shop.addToCart(wish))

export const setQuantity = (itemId: string, quantity: number) =>
  write(() => shop.changeCartItem({ cartId: currentId(), itemId, quantity }))

export const removeItem = (itemId: string) => write(() => shop.removeCartItem({ cartId: currentId(), itemId }))

export const setCoupon = (couponCode: string | null) =>
  write(() => shop.changeCart({ cartId: currentId(), couponCode }))

/** Writing a line again accepts the price that it has now. */
export const acceptPrices = () => {
  const { cart: shown } = cart.value
  const moved = new Set(shown?.warnings.filter(({ code }) => code === 'PRICE_CHANGED').map(({ itemId }) => itemId))
  const items = (shown?.items ?? []).filter(({ id }) => moved.has(id)).map(({ id, quantity }) => ({ id, quantity }))
  return write(() => shop.changeCart({ cartId: currentId(), items }))
}
