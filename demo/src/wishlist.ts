import { signal } from '@preact/signals'
import { notifyOtherTabs, session } from './session.ts'
import { isVitrineError, shop, type WishlistItem } from './shop.ts'

type WishlistState = { status: 'loading' | 'failed' | 'ready'; items: WishlistItem[]; error?: unknown }

export const wishlist = signal<WishlistState>({ status: 'loading', items: [] })

/** As in cart.ts. */
let latestRequest = 0

export const loadWishlist = async () => {
  const request = ++latestRequest
  try {
    const hasList = Boolean(session.value?.customerId) || (await shop.guestToken()) !== null
    const items = hasList ? await shop.listWishlist() : []
    if (request === latestRequest) wishlist.value = { status: 'ready', items }
  } catch (error) {
    if (request === latestRequest && wishlist.value.status !== 'ready')
      wishlist.value = { status: 'failed', items: [], error }
  }
}

export const resetWishlist = () => {
  wishlist.value = { status: 'loading', items: [] }
}

/** Resolves to whether the product is on the list now. If another tab made the same change first, that is no error. */
export const toggleWish = async (productId: string): Promise<boolean> => {
  const existing = wishlist.value.items.find((item) => item.productId === productId)
  try {
    const items = existing
      ? await shop.removeWishlistItem({ id: existing.id })
      : await shop.addWishlistItem({ productId })
    latestRequest++
    wishlist.value = { status: 'ready', items }
    notifyOtherTabs()
  } catch (error) {
    const isDoneAlready = isVitrineError(error, existing ? 'NOT_FOUND' : 'CONFLICT')
    await loadWishlist()
    if (!isDoneAlready) throw error
  }
  return existing === undefined
}
