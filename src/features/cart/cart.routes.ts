import { routes } from '../context.ts'
import { cartContract } from './cart.contract.ts'
import { addItem, addToCart, changeCart, changeItem, deleteCart, listItems, readCartById, readMyCart } from './cart.ts'
import { claimCartById } from './claim.ts'

export const cartRoutes = routes(cartContract, {
  listCartItems: ({ ctx }) => listItems(ctx),
  addToCart: ({ ctx, body }) => addToCart(ctx, body),
  showMyCart: ({ ctx }) => readMyCart(ctx),
  showCart: ({ ctx, params }) => readCartById(ctx, params.cartId),
  changeCart: ({ ctx, params, body }) => changeCart(ctx, params.cartId, body),
  deleteCart: async ({ ctx, params }) => {
    await deleteCart(ctx, params.cartId)
    return { body: null }
  },
  claimCart: ({ ctx, params }) => claimCartById(ctx, params.cartId),
  addCartItem: ({ ctx, params, body }) => addItem(ctx, params.cartId, body),
  changeCartItem: ({ ctx, params, body }) => changeItem(ctx, params.cartId, params.itemId, body.quantity),
  removeCartItem: ({ ctx, params }) => changeItem(ctx, params.cartId, params.itemId, 0),
})
