import assert from 'node:assert/strict'
import { codeMailedTo, newResetLink, newVerifyLink } from '../src/features/accounts/mail-fixture.ts'
import { keyedProvider, keyHeader, keyOf } from './keyed-provider.ts'
import { coupons, newAddress, type Person, type World } from './world.ts'
import { carrierCredentials, carrierNews, parcelNews, paymentCredentials, paymentNotice } from './world-orders.ts'
import { newEmail, newPhone } from './world-samples.ts'

/**
 * A good call of each endpoint for which the contract does not tell enough (world-samples.ts derives the others). Each
 * field that a body can have stands in one of the bodies, and each body would be accepted.
 */
export type Parts = {
  params?: Record<string, string>
  query?: Record<string, string>
  bodies?: readonly Record<string, unknown>[]
  credentials?: Record<string, string>
}
type Recipe = (world: World, person: Person) => Parts | Promise<Parts>

const password = 'correct horse battery'

const ask = async ({ service, shop }: World, path: string, body: unknown, { method = 'POST', token = '' } = {}) => {
  const who: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'x-store-key': shop.key, 'content-type': 'application/json', ...who }
  const answer = await service.call(path, { method, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json
}

export const recipes: Record<string, Recipe> = {
  addToCart: ({ mug, shirt }) => ({
    bodies: [
      { items: [{ productId: mug.id, variantId: mug.variants[0].id, quantity: 2 }], couponCode: null },
      { productId: shirt.id, variantId: shirt.variants[1].id, quantity: 1 },
    ],
  }),
  changeCart: ({ shirt }, { cartId, itemId }) => ({
    params: { cartId },
    bodies: [
      { items: [{ id: itemId, quantity: 3 }], couponCode: null },
      { items: [{ productId: shirt.id, variantId: shirt.variants[0].id, quantity: 4 }] },
    ],
  }),
  requestReturn: async (world, person) => {
    const { orderId } = await world.buy(person)
    if (person.kind === 'guest')
      return { params: { id: orderId }, bodies: [{ items: [{ id: 'item_none', quantity: 1 }] }] }
    const { db } = world.service
    await db.run`update orders set status = 'delivered', delivered_at = vitrine_now() where id = ${orderId}`
    const { id } = await db.one<{ id: string }>`
      select id from order_line where order_id = ${orderId} and digital is null`
    return { params: { id: orderId }, bodies: [{ items: [{ id, quantity: 1 }], reason: 'Chipped' }] }
  },
  claimCart: async ({ person }) => ({ params: { cartId: (await person('guest')).cartId } }),

  requestOtp: () => ({
    bodies: [{ phone: newPhone(), requestToken: 'otr_unknown' }, { email: newEmail() }],
  }),
  verifyOtp: async (world) => {
    const phone = newPhone()
    const { requestToken } = await ask(world, '/v1/auth/otp/request', { phone })
    const { cartId } = await world.person('guest')
    const email = newEmail()
    await ask(world, '/v1/auth/otp/request', { email })
    return {
      bodies: [
        { phone, otp: world.service.codeFor(phone), guestCartId: cartId, requestToken },
        { email, otp: await codeMailedTo(world.service, world.shop, email) },
      ],
    }
  },
  signUp: (world) => ({
    bodies: [{ name: 'Asha', email: newEmail(), password, phone: newPhone(), storefrontUrl: world.store.domain }],
  }),
  forgotPassword: (world) => ({ bodies: [{ email: newEmail(), storefrontUrl: world.store.domain }] }),
  resetPassword: async (world) => {
    const email = newEmail()
    await ask(world, '/v1/signup', { name: 'Asha', email, password })
    return { bodies: [{ token: await newResetLink(world.service, world.shop, email), password }] }
  },
  verifyEmail: async (world) => {
    const email = newEmail()
    const { user } = await ask(world, '/v1/signup', { name: 'Asha', email, password })
    return { bodies: [{ token: await newVerifyLink(world.service, world.shop, user.id, email) }] }
  },
  requestVerification: async (world, { token }) => {
    await ask(world, '/v1/customer', { email: newEmail() }, { method: 'PATCH', token })
    return { bodies: [{ storefrontUrl: world.store.domain }] }
  },
  signIn: async (world) => {
    const email = newEmail()
    await ask(world, '/v1/signup', { name: 'Asha', email, password })
    return { bodies: [{ email, password }] }
  },

  changeCustomer: ({ store }) => ({
    bodies: [
      {
        ...{ name: 'Asha Rao', email: newEmail(), phone: newPhone(), currentPassword: password },
        storefrontUrl: store.domain,
      },
    ],
  }),
  changePassword: async (world, { token }) => {
    await ask(world, '/v1/customer', { email: newEmail() }, { method: 'PATCH', token })
    return { bodies: [{ currentPassword: password, newPassword: password }] }
  },
  addAddress: () => ({ bodies: [newAddress] }),
  changeAddress: (_, { addressId }) => ({ params: { id: addressId }, bodies: [{ ...newAddress, label: 'Work' }] }),

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

  paymentCallback: async (world) => ({ query: { orderId: (await world.buy(await world.person('customer'))).orderId } }),
  providerCallback: async (world) => ({
    params: { provider: 'sandbox' },
    query: { orderId: (await world.buy(await world.person('customer'))).orderId },
  }),
  paymentWebhook: async (world) => ({
    credentials: paymentCredentials(world),
    bodies: [paymentNotice(await world.order(await world.person('customer')))],
  }),
  providerWebhook: async (world) => ({
    params: { provider: 'sandbox' },
    credentials: paymentCredentials(world),
    bodies: [paymentNotice(await world.order(await world.person('customer')))],
  }),

  providerWebhookOfStore: async (world) => ({
    params: { provider: keyedProvider.name, storeId: world.shop.storeId },
    credentials: { [keyHeader]: keyOf(world.shop.storeId) },
    bodies: [paymentNotice(await world.order(await world.person('customer')))],
  }),

  // A settled order, so that the call does not wait.
  showOrder: async (world, person) => ({ params: { id: (await world.buy(person)).orderId }, query: { wait: '20' } }),
  receiveCarrierEvent: async (world) => {
    const { orderId } = await world.buy(await world.person('customer'))
    const shipmentId = await world.ship(orderId)
    return {
      credentials: carrierCredentials(world),
      bodies: [carrierNews({ orderId }), carrierNews({ shipmentId, status: 'delivered' })],
    }
  },
  receiveParcelEvent: async (world) => {
    const { orderId } = await world.buy(await world.person('customer'))
    const shipmentId = await world.ship(orderId)
    return { credentials: carrierCredentials(world), bodies: [parcelNews(shipmentId)] }
  },
}
