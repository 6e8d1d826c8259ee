import { session, tellOtherTabs } from './session.ts'
import { isVitrineError, shop, type WishlistItem } from './shop.ts'
import { createStore } from './store.ts'

type WishlistState = { status: 'loading' | 'failed' | 'ready'; items: WishlistItem[]; error?: unknown }

export const wishlist = createStore<WishlistState>({ status: 'loading', items: [] })

let turn = 0

export const loadWishlist = async () => {
  const mine = ++turn
  try {
    const hasList = Boolean(session.get()?.customerId) || (await shop.guestToken()) !== null
    const items = hasList ? await shop.listWishlist() : []
    if (mine === turn) wishlist.set({ status: 'ready', items })
  } catch (error) {
    if (mine === turn && wishlist.get().status !== 'ready') wishlist.set({ status: 'failed', items: [], error })
  }
}

export const forgetWishlist = () => wishlist.set({ status: 'loading', items: [] })

/** Resolves to whether the product is on the list now. Another tab may have been faster, which is as good. */
export const toggleWish = async (productId: string): Promise<boolean> => {
  const held = wishlist.get().items.find((item) => item.productId === productId)
  try {
    const items = held ? await shop.removeWishlistItem({ id: held.id }) : await shop.addWishlistItem({ productId })
    turn++
    wishlist.set({ status: 'ready', items })
    tellOtherTabs()
  } catch (error) {
    const isDoneAlready = isVitrineError(error, held ? 'NOT_FOUND' : 'CONFLICT')
    await loadWishlist()
    if (!isDoneAlready) throw error
  }
  return held === undefined
}
