import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, isVitrineError, memoryStorage } from '../sdk/src/index.ts'
import { codeMailedTo, email, newResetLink, newVerifyLink, password } from '../src/features/accounts/mail-fixture.ts'
import { newStore, startTestService, type TestService } from './harness.ts'

/** Codes and links by mail, through the client. */
let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async () => {
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 100 })
  const open = () => createClient({ url: service.url, storeKey: store.key, retries: 0, storage: memoryStorage() })
  return { store, open, shop: open() }
}

test('a code by mail signs in, and is bound to the client that requested it', async () => {
  const { store, shop, open } = await openShop()
  assert.ok((await shop.showStore()).signIn.includes('email'))
  await shop.requestOtp({ email })
  const otp = await codeMailedTo(service, store)
  for (let i = 0; i < 3; i++)
    await open()
      .verifyOtp({ email, otp: '000' })
      .catch(() => null)
  const { customer, token, expiresAt } = await shop.verifyOtp({ email, otp })
  assert.deepEqual([customer.email, customer.emailVerified], [email, true])
  assert.deepEqual(await shop.session(), { token, customerId: customer.id, expiresAt })
})

test('a link that resets the password starts a session, merges the guest, and ends other sessions', async () => {
  const { store, shop, open } = await openShop()
  const elsewhere = open()
  await elsewhere.signUp({ name: 'Asha', email, password })
  const [mug] = (await shop.listProducts()).items
  await shop.addToCart({ productId: String(mug?.id) })
  assert.deepEqual(await shop.forgotPassword({ email }), { success: true })
  const reset = { token: await newResetLink(service, store), password: 'a new password' }
  const { user, merged } = await shop.resetPassword(reset, { merge: true })
  assert.deepEqual([user.emailVerified, merged], [true, { cartItems: 1, wishlistItems: 0 }])
  assert.equal((await shop.session())?.customerId, user.id)
  await assert.rejects(elsewhere.showCustomer())
  await assert.rejects(shop.resetPassword(reset), (error) => isVitrineError(error, 'GONE'))
})

test('a link confirms an email, and a signed-in customer can ask for it again', async () => {
  const { store, shop, open } = await openShop()
  const { user } = await shop.signUp({ name: 'Asha', email, password })
  await shop.requestVerification()
  const { emailVerified } = await open().verifyEmail({ token: await newVerifyLink(service, store, user.id) })
  assert.equal(emailVerified, true)
  assert.equal((await shop.showCustomer()).emailVerified, true)
})
