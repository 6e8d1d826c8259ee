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
    summary: "Move a guest's cart and wishlist into the account of the customer",
    description:
      'Call it right after signing in. All of it happens or nothing; quantities add up as far as there is stock; the guest token is dead afterwards, and a second merge of it is 400.',
    body: Type.Object({ guestToken: Type.String({ minLength: 1, maxLength: 200 }) }),
    ok: MergeResult,
    example: { success: true, message: 'Guest data merged.', merged: { cartItems: 2, wishlistItems: 1 } },
  }),
}
