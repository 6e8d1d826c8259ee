import { routes } from '../context.ts'
import { wishlistContract } from './wishlist.contract.ts'
import { addWishlistItem, listWishlist, removeWishlistItem } from './wishlist.ts'

export const wishlistRoutes = routes(wishlistContract, {
  listWishlist: async ({ ctx }) => ({ body: await listWishlist(ctx) }),
  addWishlistItem: ({ ctx, body }) => addWishlistItem(ctx, body.productId),
  removeWishlistItem: async ({ ctx, params }) => ({ body: await removeWishlistItem(ctx, params.id) }),
})
