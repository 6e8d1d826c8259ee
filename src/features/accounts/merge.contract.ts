import Type from 'typebox'
import { named } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const MergeResult = named(
  'MergeResult',
  Type.Object({
    success: Type.Boolean(),
    message: Type.String(),
    merged: Type.Object({
      cartItems: Type.Integer({ description: "Lines of the guest's cart that moved" }),
      wishlistItems: Type.Integer({ description: "Entries of the guest's wishlist that moved" }),
    }),
  }),
)

export const mergeContract = {
  mergeGuestData: endpoint({
    method: 'POST',
    path: '/v1/auth/merge-guest-data',
    tag: 'Accounts',
    access: 'asserted',
    scope: 'auth:write',
    summary: "Move a guest's cart and wishlist to the customer",
    description:
      'Call it right after sign-in. The merge is atomic. Quantities are added, limited by stock. The guest token is invalid afterwards; merging it again is 400.',
    body: Type.Object({ guestToken: Type.String({ minLength: 1, maxLength: 200 }) }),
    ok: MergeResult,
    example: { success: true, message: 'Guest data merged.', merged: { cartItems: 2, wishlistItems: 1 } },
  }),
}
