import { signal } from '@preact/signals'
import { session, tellOtherTabs } from './session.ts'
import { isVitrineError, shop, type WishlistItem } from './shop.ts'

type WishlistState = { status: 'loading' | 'failed' | 'ready'; items: WishlistItem[]; error?: unknown }

export const wishlist = signal<WishlistState>({ status: 'loading', items: [] })

let turn = 0

export const loadWishlist = async () => {
  const mine = ++turn
  try {
    const hasList = Boolean(session.value?.customerId) || (await shop.guestToken()) !== null
    const items = hasList ? await shop.listWishlist() : []
    if (mine === turn) wishlist.value = { status: 'ready', items }
  } catch (error) {
    if (mine === turn && wishlist.value.status !== 'ready') wishlist.value = { status: 'failed', items: [], error }
  }
}

export const forgetWishlist = () => {
  wishlist.value = { status: 'loading', items: [] }
}

/** Resolves to whether the product is on the list now. Another tab may have been faster, which is as good. */
export const toggleWish = async (productId: string): Promise<boolean> => {
  const held = wishlist.value.items.find((item) => item.productId === productId)
  try {
    const items = held ? await shop.removeWishlistItem({ id: held.id }) : await shop.addWishlistItem({ productId })
    turn++
    wishlist.value = { status: 'ready', items }
    tellOtherTabs()
  } catch (error) {
    const isDoneAlready = isVitrineError(error, held ? 'NOT_FOUND' : 'CONFLICT')
    await loadWishlist()
    if (!isDoneAlready) throw error
  }
  return held === undefined
}
