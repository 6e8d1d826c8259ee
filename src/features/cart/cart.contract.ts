import Type, { type Static } from 'typebox'
import { named, nullable, oneOf } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'
import { imageSizes, maxLineQuantity } from '../catalog/catalog.contract.ts'

export const CartItem = named(
  'CartItem',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    variantId: Type.String(),
    quantity: Type.Integer(),
    price: Type.Number({ description: 'Current unit price' }),
    lineTotal: Type.Number(),
    inStock: Type.Boolean({ description: 'Whether the whole quantity can be bought now' }),
    product: Type.Object({
      name: Type.String(),
      image: Type.String(),
      imageSizes,
      description: Type.String(),
      slug: Type.String(),
      variant: Type.String({ description: 'Title of the chosen variant; empty if the product has only one' }),
    }),
  }),
)
export type CartItem = Static<typeof CartItem>

export const CartWarning = named(
  'CartWarning',
  Type.Object({
    code: oneOf(['PRICE_CHANGED', 'OUT_OF_STOCK', 'LOW_STOCK', 'UNAVAILABLE', 'COUPON_REMOVED']),
    message: Type.String({ description: 'For the shopper' }),
    itemId: nullable(Type.String({ description: 'The affected line' })),
  }),
)
export type CartWarning = Static<typeof CartWarning>

export const Cart = named(
  'Cart',
  Type.Object({
    id: Type.String(),
    customerId: nullable(Type.String({ description: 'Null for a guest cart' })),
    outletId: Type.String({ description: 'The outlet whose prices and stock apply' }),
    currency: Type.String({ description: 'ISO 4217' }),
    items: Type.Array(CartItem),
    itemCount: Type.Integer({ description: 'Units in all lines' }),
    couponCode: nullable(Type.String()),
    subtotal: Type.Number(),
    discount: Type.Number(),
    shipping: Type.Number(),
    tax: Type.Number({ description: 'Included in the prices or added to them, depending on the store' }),
    total: Type.Number(),
    version: Type.Integer({ description: 'Increases with every change' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    expiresAt: nullable(Type.String({ description: 'Null for the cart of a customer, which does not expire' })),
    warnings: Type.Array(CartWarning, {
      description: 'Reasons why checkout would fail or differ from what the shopper saw',
    }),
  }),
)
export type Cart = Static<typeof Cart>

const newLine = {
  productId: Type.String({ minLength: 1, maxLength: 100 }),
  variantId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Required if the product has several variants' }),
  ),
}
const quantityToSet = Type.Integer({ minimum: 0, maximum: maxLineQuantity, description: '0 removes the line' })
const quantityToAdd = Type.Optional(Type.Integer({ minimum: 1, maximum: maxLineQuantity, default: 1 }))

export const LineToAdd = Type.Object({ ...newLine, quantity: quantityToAdd })
export type LineToAdd = Static<typeof LineToAdd>

export const LineToSet = Type.Object({
  id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Id of the line; alternatively `productId`' }),
  ),
  productId: Type.Optional(newLine.productId),
  variantId: newLine.variantId,
  quantity: quantityToSet,
})
export type LineToSet = Static<typeof LineToSet>

const couponCode = Type.Optional(nullable(Type.String({ maxLength: 100, description: 'Null removes the code' })))
const maxItemsPerRequest = { maxItems: 100 }

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
  lateSession: true,
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
    description: 'Empty if there is no cart yet. The first call without a guest token returns a new one.',
    ok: Type.Array(CartItem),
    example: [examples.item],
  }),
  addToCart: endpoint({
    ...ofShopper,
    method: 'POST',
    path: '/v1/cart',
    summary: "Add to the shopper's own cart, and create it if there is none",
    description: 'One product, or several as `items`. 201 if the cart is new. Concurrent calls are all applied.',
    body: Type.Object({
      productId: Type.Optional(newLine.productId),
      variantId: newLine.variantId,
      quantity: quantityToAdd,
      items: Type.Optional(Type.Array(LineToAdd, maxItemsPerRequest)),
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
    description: 'Anyone who has the id can read a guest cart. Only the customer can read the cart of a customer.',
    params: Type.Object({ cartId }),
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  changeCart: endpoint({
    ...ofShopper,
    method: 'PATCH',
    path: '/v1/cart/{cartId}',
    summary: 'Set quantities and the coupon code of a cart',
    description: 'Sets the given lines and leaves the others unchanged. A quantity of 0 removes a line.',
    params: Type.Object({ cartId }),
    body: Type.Object({ items: Type.Optional(Type.Array(LineToSet, maxItemsPerRequest)), couponCode }),
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
    summary: 'Claim a guest cart for the customer',
    description: "Moves its lines to the customer's cart. Quantities are added, limited by stock.",
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
