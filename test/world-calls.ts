import assert from 'node:assert/strict'
import { coupons, newAddress, type Person, type World, word } from './world.ts'
import { carrierCredentials, carrierNews, paymentCredentials, paymentNotice } from './world-orders.ts'

/**
 * For each endpoint that needs more than an identity: what a good call of it consists of, for a given person. Each
 * field that a body can have stands in one of the bodies, and each body would be accepted.
 */
export type Parts = {
  params?: Record<string, string>
  query?: Record<string, string>
  bodies?: readonly Record<string, unknown>[]
  credentials?: Record<string, string>
}
type Recipe = (world: World, person: Person) => Parts | Promise<Parts>

let count = 0
const newEmail = () => `somebody-${++count}@example.com`
const newPhone = () => `+9198765${String(++count).padStart(5, '0')}`
const password = 'correct horse battery'

const ask = async ({ service, shop }: World, path: string, body: unknown, { method = 'POST', token = '' } = {}) => {
  const who: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'x-store-key': shop.key, 'content-type': 'application/json', ...who }
  const answer = await service.call(path, { method, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json
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

  requestOtp: () => ({ bodies: [{ phone: newPhone(), requestToken: 'otr_of_nobody' }] }),
  verifyOtp: async (world) => {
    const phone = newPhone()
    const { requestToken } = await ask(world, '/v1/auth/otp/request', { phone })
    const { cartId } = await world.person('guest')
    return { bodies: [{ phone, otp: world.service.codeFor(phone), guestCartId: cartId, requestToken }] }
  },
  signUp: () => ({ bodies: [{ name: 'Asha', email: newEmail(), password, phone: newPhone() }] }),
  signIn: async (world) => {
    const email = newEmail()
    await ask(world, '/v1/signup', { name: 'Asha', email, password })
    return { bodies: [{ email, password }] }
  },

  addWishlistItem: ({ mug }) => ({ bodies: [{ productId: mug.id }] }),
  removeWishlistItem: (_, { wishId }) => ({ params: { id: wishId } }),

  changeCustomer: () => ({
    bodies: [{ name: 'Asha Rao', email: newEmail(), phone: newPhone(), currentPassword: password }],
  }),
  changePassword: async (world, { token }) => {
    await ask(world, '/v1/customer', { email: newEmail() }, { method: 'PATCH', token })
    return { bodies: [{ currentPassword: password, newPassword: password }] }
  },
  addAddress: () => ({ bodies: [newAddress] }),
  changeAddress: (_, { addressId }) => ({ params: { id: addressId }, bodies: [{ ...newAddress, label: 'Work' }] }),
  removeAddress: (_, { addressId }) => ({ params: { id: addressId } }),

  checkOut: async (world, person) => {
    const { version, total } = await world.cartOf(person)
    const { cartId, addressId } = person
    const [couponCode] = coupons
    const where = { storefrontUrl: world.store.domain, paymentMethod: 'online', note: 'Ring twice' }
    return {
      bodies: [
        { cartId, version, ...where, couponCode, shippingAddress: newAddress, billingAddress: newAddress },
        { addressId, expectedTotal: total, couponCode: null },
      ],
    }
  },
  validateCoupon: (_, { cartId }) => ({ bodies: [{ code: coupons[0], cartId }] }),

  startPayment: async (world, person) => ({ bodies: [{ orderId: (await world.order(person)).orderId }] }),
  showPayment: async (world, person) => ({ params: { orderId: (await world.order(person)).orderId } }),
  paymentCallback: async (world) => ({ query: { orderId: (await world.buy(await world.person('customer'))).orderId } }),
  paymentWebhook: async (world) => ({
    credentials: paymentCredentials(world),
    bodies: [paymentNotice(await world.order(await world.person('customer')))],
  }),
  providerWebhook: async (world) => ({
    params: { provider: 'sandbox' },
    credentials: paymentCredentials(world),
    bodies: [paymentNotice(await world.order(await world.person('customer')))],
  }),

  // One that is decided, since nobody wants to wait for it.
  showOrder: async (world, person) => ({ params: { id: (await world.buy(person)).orderId }, query: { wait: '20' } }),
  cancelOrder: async (world, person) => ({ params: { id: (await world.order(person)).orderId } }),
  useDownload: async (world, person) => ({ params: { id: (await world.buy(person)).downloadId } }),
  makeDownloadLink: async (world, person) => ({ params: { id: (await world.buy(person)).downloadId } }),
  receiveCarrierEvent: async (world) => {
    const { orderId } = await world.buy(await world.person('customer'))
    const shipmentId = await world.ship(orderId)
    return {
      credentials: carrierCredentials(world),
      bodies: [carrierNews({ orderId }), carrierNews({ shipmentId, status: 'delivered' })],
    }
  },
}
