import assert from 'node:assert/strict'
import { newAddress, type Person, type World, word } from './world.ts'

/**
 * For each endpoint that needs more than an identity: what a good call of it consists of, for a given person. Each
 * field that a body can have stands in one of the bodies, and each body would be accepted.
 */
export type Parts = {
  params?: Record<string, string>
  query?: Record<string, string>
  bodies?: readonly Record<string, unknown>[]
}
type Recipe = (world: World, person: Person) => Parts | Promise<Parts>

let count = 0
const newEmail = () => `somebody-${++count}@example.com`
const newPhone = () => `+9198765${String(++count).padStart(5, '0')}`
const password = 'correct horse battery'

const ask = async ({ service, shop }: World, path: string, body: unknown) => {
  const headers = { 'x-store-key': shop.key, 'content-type': 'application/json' }
  const answer = await service.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
}

export const recipes: Record<string, Recipe> = {
  showProduct: () => ({ params: { idOrSlug: 'moonstone-lamp' } }),
  search: () => ({ query: { q: word } }),
  suggest: () => ({ query: { q: word } }),

  addToCart: ({ mug, shirt }) => ({
    bodies: [
      { items: [{ productId: mug.id, variantId: mug.variants[0].id, quantity: 2 }], couponCode: null },
      { productId: shirt.id, variantId: shirt.variants[1].id, quantity: 1 },
    ],
  }),
  showCart: (_, { cartId }) => ({ params: { cartId } }),
  changeCart: ({ shirt }, { cartId, itemId }) => ({
    params: { cartId },
    bodies: [
      { items: [{ id: itemId, quantity: 3 }], couponCode: null },
      { items: [{ productId: shirt.id, variantId: shirt.variants[0].id, quantity: 4 }] },
    ],
  }),
  deleteCart: (_, { cartId }) => ({ params: { cartId } }),
  claimCart: async ({ person }) => ({ params: { cartId: (await person('guest')).cartId } }),
  addCartItem: ({ shirt }, { cartId }) => ({
    params: { cartId },
    bodies: [{ productId: shirt.id, variantId: shirt.variants[1].id, quantity: 2 }],
  }),
  changeCartItem: (_, { cartId, itemId }) => ({ params: { cartId, itemId }, bodies: [{ quantity: 3 }] }),
  removeCartItem: (_, { cartId, itemId }) => ({ params: { cartId, itemId } }),

  mergeGuestData: async ({ person }) => ({ bodies: [{ guestToken: (await person('guest')).token }] }),

  requestOtp: () => ({ bodies: [{ phone: newPhone() }] }),
  verifyOtp: async (world) => {
    const phone = newPhone()
    await ask(world, '/v1/auth/otp/request', { phone })
    const { cartId } = await world.person('guest')
    return { bodies: [{ phone, otp: world.service.codeFor(phone), guestCartId: cartId }] }
  },
  signUp: () => ({ bodies: [{ name: 'Asha', email: newEmail(), password, phone: newPhone() }] }),
  signIn: async (world) => {
    const email = newEmail()
    await ask(world, '/v1/signup', { name: 'Asha', email, password })
    return { bodies: [{ email, password }] }
  },

  addWishlistItem: ({ mug }) => ({ bodies: [{ productId: mug.id }] }),
  removeWishlistItem: (_, { wishId }) => ({ params: { id: wishId } }),

  changeCustomer: () => ({ bodies: [{ name: 'Asha Rao', email: newEmail(), phone: newPhone() }] }),
  addAddress: () => ({ bodies: [newAddress] }),
  changeAddress: (_, { addressId }) => ({ params: { id: addressId }, bodies: [{ ...newAddress, label: 'Work' }] }),
  removeAddress: (_, { addressId }) => ({ params: { id: addressId } }),
}
