import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

export const maxQuantity = 999

export const CartItem = named(
  'CartItem',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    variantId: Type.String(),
    quantity: Type.Integer(),
    price: Type.Number({ description: 'Of one unit, as it is now' }),
    lineTotal: Type.Number(),
    inStock: Type.Boolean({ description: 'The whole quantity can be bought now' }),
    product: Type.Object({
      name: Type.String(),
      image: Type.String(),
      description: Type.String(),
      slug: Type.String(),
      variant: Type.String({ description: 'The title of the chosen variant; empty when there is only one' }),
    }),
  }),
)
export type CartItem = Static<typeof CartItem>

export const CartWarning = named(
  'CartWarning',
  Type.Object({
    code: oneOf(['PRICE_CHANGED', 'OUT_OF_STOCK', 'LOW_STOCK', 'UNAVAILABLE', 'COUPON_REMOVED']),
    message: Type.String({ description: 'For the shopper' }),
    itemId: nullable(Type.String({ description: 'The line that it is about' })),
  }),
)
export type CartWarning = Static<typeof CartWarning>

export const Cart = named(
  'Cart',
  Type.Object({
    id: Type.String(),
    customerId: nullable(Type.String({ description: "Null: a guest's" })),
    outletId: Type.String({ description: 'Its prices and its stock count' }),
    currency: Type.String({ description: 'ISO 4217' }),
    items: Type.Array(CartItem),
    itemCount: Type.Integer({ description: 'Units in all lines' }),
    couponCode: nullable(Type.String()),
    subtotal: Type.Number(),
    discount: Type.Number(),
    shipping: Type.Number(),
    tax: Type.Number({ description: 'Part of the total where the prices of the store include it, else added' }),
    total: Type.Number(),
    version: Type.Integer({ description: 'Grows with every change' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    expiresAt: nullable(Type.String({ description: "Null: a customer's cart stays" })),
    warnings: Type.Array(CartWarning, {
      description: 'Why a checkout of this cart would be refused or look different',
    }),
  }),
)
export type Cart = Static<typeof Cart>

const newLine = {
  productId: Type.String({ minLength: 1, maxLength: 100 }),
  variantId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Needed where a product has several' }),
  ),
}
const quantityToSet = Type.Integer({ minimum: 0, maximum: maxQuantity, description: 'Zero removes the line' })
const quantityToAdd = Type.Optional(Type.Integer({ minimum: 1, maximum: maxQuantity, default: 1 }))

export const LineToAdd = Type.Object({ ...newLine, quantity: quantityToAdd })
export type LineToAdd = Static<typeof LineToAdd>

export const LineToSet = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The line, or name its product' })),
  productId: Type.Optional(newLine.productId),
  variantId: newLine.variantId,
  quantity: quantityToSet,
})
export type LineToSet = Static<typeof LineToSet>

const couponCode = Type.Optional(nullable(Type.String({ maxLength: 100, description: 'Null takes the code off' })))
const mostLines = { maxItems: 100 }

const examples = {
  item: {
    id: 'line_01k8x0v3m7q2w9c4t6y8za',
    productId: 'prod_01k8x0v3m7q2w9c4t6y8zb',
    variantId: 'var_01k8x0v3m7q2w9c4t6y8zc',
    quantity: 2,
    price: 449,
    lineTotal: 898,
    inStock: true,
    product: {
      name: 'Café au lait mug',
      image: 'http://localhost:3000/demo/images/cafe-au-lait-mug.svg',
      description: 'A stoneware mug that holds 300 ml.',
      slug: 'cafe-au-lait-mug',
      variant: '',
    },
  },
}
const exampleCart = {
  id: 'cart_3v8m7q2w9c4t6y8zabcdefghjk',
  customerId: null,
  outletId: 'outlet_01k8x0v3m7q2w9c4t6y8zf',
  currency: 'INR',
  items: [examples.item],
  itemCount: 2,
  couponCode: 'WELCOME10',
  subtotal: 898,
  discount: 89.8,
  shipping: 79,
  tax: 86.58,
  total: 887.2,
  version: 3,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:31:00.000Z',
  expiresAt: '2026-12-15T09:31:00.000Z',
  warnings: [],
}

const shared = {
  tag: 'Cart',
  scope: 'cart:write',
  invalidInput: 422,
  ok: Cart,
  headers: ['x-cart-id'],
  example: exampleCart,
} as const
const ofShopper = { ...shared, access: 'shopper' } as const
const ofCustomer = { ...shared, access: 'customer' } as const
const cartId = Type.String({ maxLength: 100 })
const itemId = Type.String({ maxLength: 100 })

export const cartContract = {
  listCartItems: endpoint({
    ...ofShopper,
    method: 'GET',
    path: '/v1/cart',
    summary: "Show the items of the shopper's own cart",
    description: 'Empty when there is no cart yet. A first call without a guest token brings one.',
    ok: Type.Array(CartItem),
    example: [examples.item],
  }),
  addToCart: endpoint({
    ...ofShopper,
    method: 'POST',
    path: '/v1/cart',
    summary: "Add to the shopper's own cart, which is made when there is none",
    description: 'One product, or several as `items`. 201 when the cart is new. Parallel calls all count.',
    body: Type.Object({
      productId: Type.Optional(newLine.productId),
      variantId: newLine.variantId,
      quantity: quantityToAdd,
      items: Type.Optional(Type.Array(LineToAdd, mostLines)),
      couponCode,
    }),
    okStatus: 201,
    otherStatus: 200,
    once: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_STOCK'],
  }),
  showMyCart: endpoint({
    ...ofCustomer,
    method: 'GET',
    path: '/v1/cart/me',
    summary: "Show the customer's cart",
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  showCart: endpoint({
    ...ofShopper,
    method: 'GET',
    path: '/v1/cart/{cartId}',
    summary: 'Show a cart',
    description: "The id of a guest's cart opens it to whoever has it; a customer's cart opens to that customer alone.",
    params: Type.Object({ cartId }),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  changeCart: endpoint({
    ...ofShopper,
    method: 'PATCH',
    path: '/v1/cart/{cartId}',
    summary: 'Set quantities and the coupon code of a cart',
    description: 'Sets the lines that it names and leaves the others. A quantity of 0 removes a line.',
    params: Type.Object({ cartId }),
    body: Type.Object({ items: Type.Optional(Type.Array(LineToSet, mostLines)), couponCode }),
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_STOCK'],
  }),
  deleteCart: endpoint({
    ...ofCustomer,
    method: 'DELETE',
    path: '/v1/cart/{cartId}',
    summary: "Delete the customer's cart",
    params: Type.Object({ cartId }),
    ok: null,
    okStatus: 204,
    headers: [],
    errors: ['NOT_FOUND'],
  }),
  claimCart: endpoint({
    ...ofCustomer,
    method: 'POST',
    path: '/v1/cart/{cartId}/claim',
    summary: "Make a guest's cart the customer's",
    description: "Its lines join those of the customer's cart. Quantities add up, as far as there is stock.",
    params: Type.Object({ cartId }),
    once: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  addCartItem: endpoint({
    ...ofShopper,
    method: 'POST',
    path: '/v1/cart/{cartId}/items',
    summary: 'Add a product to a cart',
    params: Type.Object({ cartId }),
    body: LineToAdd,
    once: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_STOCK'],
  }),
  changeCartItem: endpoint({
    ...ofShopper,
    method: 'PATCH',
    path: '/v1/cart/{cartId}/items/{itemId}',
    summary: 'Set the quantity of a line',
    params: Type.Object({ cartId, itemId }),
    body: Type.Object({ quantity: quantityToSet }),
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_STOCK'],
  }),
  removeCartItem: endpoint({
    ...ofShopper,
    method: 'DELETE',
    path: '/v1/cart/{cartId}/items/{itemId}',
    summary: 'Remove a line',
    params: Type.Object({ cartId, itemId }),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
}
