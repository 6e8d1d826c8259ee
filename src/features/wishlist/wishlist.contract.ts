import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { imageSizes } from '../catalog/catalog.contract.ts'

export const maxWishlistItems = 200

export const WishlistItem = named(
  'WishlistItem',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    product: Type.Object({
      id: Type.String(),
      name: Type.String(),
      price: Type.Number({ description: "The lowest price of its variants at this outlet, in the store's currency" }),
      image: Type.String({ description: 'URL of its first image; empty if it has none' }),
      imageSizes,
      description: Type.String(),
      inStock: Type.Boolean({ description: 'Whether it can be bought at this outlet now' }),
    }),
    createdAt: Type.String({ description: 'ISO 8601, UTC' }),
  }),
)
export type WishlistItem = Static<typeof WishlistItem>

const shared = {
  tag: 'Wishlist',
  access: 'shopper',
  scope: 'wishlist:write',
  invalidInput: 422,
  ok: Type.Array(WishlistItem),
  example: [
    {
      id: 'wish_01k8x0v3m7q2w9c4t6y8ze',
      productId: 'prod_01k8x0v3m7q2w9c4t6y8za',
      product: {
        id: 'prod_01k8x0v3m7q2w9c4t6y8za',
        name: 'Café au lait mug',
        price: 449,
        image: 'http://localhost:3000/demo/images/cafe-au-lait-mug.svg',
        description: 'A stoneware mug that holds 300 ml.',
        inStock: true,
      },
      createdAt: '2026-01-31T09:30:00.000Z',
    },
  ],
} as const

export const wishlistContract = {
  listWishlist: endpoint({
    ...shared,
    method: 'GET',
    path: '/v1/wishlist',
    summary: 'List the wishlist',
    description:
      'Of the guest or customer, newest first. Products that are not on sale are hidden until they are again.',
  }),
  addWishlistItem: endpoint({
    ...shared,
    method: 'POST',
    path: '/v1/wishlist',
    summary: 'Add a product to the wishlist',
    description: `Returns the updated list. Products that are out of stock can be added. A list can hold at most ${maxWishlistItems} products, including those not on sale at present.`,
    body: Type.Object({ productId: Type.String({ minLength: 1, maxLength: 200 }) }),
    once: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  removeWishlistItem: endpoint({
    ...shared,
    method: 'DELETE',
    path: '/v1/wishlist/{id}',
    summary: 'Remove a product from the wishlist',
    description: 'Returns the updated list.',
    params: Type.Object({ id: Type.String({ maxLength: 200, description: 'Id of the entry or of the product' }) }),
    errors: ['NOT_FOUND'],
  }),
}
