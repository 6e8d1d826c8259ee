import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ClientOptions,
  type ClientStorage,
  createClient,
  isVitrineError,
  memoryStorage,
  webStorage,
} from '../sdk/src/index.ts'
import { SmsUncertain } from '../src/providers/sms/sender.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { newStore, serviceFor, startTestService, type TestService } from './harness.ts'

/** The shopper of a client, and what the client stores about them. */
let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async (options: Partial<ClientOptions> = {}) => {
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 100 }, { name: 'Lamp', price: 90, stock: 5 })
  const open = (more: Partial<ClientOptions> = {}) =>
    createClient({ url: service.url, storeKey: store.key, retries: 0, ...options, ...more })
  const shop = open()
  const products = (await shop.listProducts({ sort: 'name' })).items
  const [lamp, mug] = products.map(({ id }) => id) as [string, string]
  return { store, shop, open, lamp, mug }
}

let people = 0
const newAccount = () => ({ name: 'Asha', email: `asha${++people}@example.com`, password: 'a long password' })
const quantities = (items: readonly { quantity: number }[]) => items.map(({ quantity }) => quantity)
const refused = (code: Parameters<typeof isVitrineError>[1]) => (error: unknown) => isVitrineError(error, code)

test('a guest stays the same guest in every call, with the same cart', async () => {
  const { shop, mug } = await openShop()
  assert.deepEqual([await shop.guestToken(), await shop.cartId()], [null, null])
  const cart = await shop.addToCart({ productId: mug, quantity: 2 })
  await shop.addCartItem({ cartId: cart.id, productId: mug })
  assert.deepEqual(quantities(await shop.listCartItems()), [3])
  assert.equal(await shop.cartId(), cart.id)
  assert.match(String(await shop.guestToken()), /^gst_/)
})

test('concurrent first calls share one guest', async () => {
  const { shop, mug, lamp } = await openShop()
  await Promise.all([
    shop.addToCart({ productId: mug }),
    shop.addToCart({ productId: lamp }),
    shop.listCartItems(),
    shop.addWishlistItem({ productId: mug }),
    shop.listWishlist(),
  ])
  assert.deepEqual(quantities(await shop.listCartItems()), [1, 1])
  assert.equal((await shop.listWishlist()).length, 1)
})

test('a late answer does not remove the cart', async (t) => {
  const { store, mug } = await openShop()
  const proxy = await startFaultyProxy(t, service.url)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let holds = true
  const slowFirst: typeof fetch = async (...args) => {
    const answer = await fetch(...args)
    if (holds) {
      holds = false
      await held
    }
    return answer
  }
  const shop = createClient({ url: proxy.url, storeKey: store.key, fetch: slowFirst })
  const late = shop.listWishlist()
  await proxy.untilAnswered(1)
  await shop.addToCart({ productId: mug })
  release()
  await late
  assert.deepEqual(quantities(await shop.listCartItems()), [1])
})

test('two clients on one storage share the cart and the session', async () => {
  const storage = memoryStorage()
  const { shop, open, mug } = await openShop({ storage })
  const otherTab = open()
  await shop.addToCart({ productId: mug })
  await otherTab.addToCart({ productId: mug })
  assert.deepEqual(quantities(await shop.listCartItems()), [2])
  await otherTab.signUp(newAccount())
  assert.equal((await shop.showCustomer()).name, 'Asha')
  await shop.logOut()
  assert.equal(await otherTab.session(), null)
})

test('signing in with merge moves the data of the guest, and ends the guest', async () => {
  const { shop, mug, lamp } = await openShop()
  await shop.addToCart({ items: [{ productId: mug, quantity: 2 }, { productId: lamp }] })
  await shop.addWishlistItem({ productId: lamp })
  const { user, merged, mergeError } = await shop.signUp(newAccount(), { merge: true })
  assert.deepEqual([merged, mergeError], [{ cartItems: 2, wishlistItems: 1 }, null])
  assert.equal(await shop.guestToken(), null)
  const cart = await shop.showMyCart()
  assert.deepEqual([cart.customerId, cart.itemCount, cart.id], [user.id, 3, await shop.cartId()])
  assert.equal((await shop.listWishlist()).length, 1)
})

test('signing in with a code keeps the session, and merges on request only', async () => {
  const { shop, mug } = await openShop()
  await shop.addToCart({ productId: mug })
  const guest = await shop.guestToken()
  const phone = '+919876500001'
  await shop.requestOtp({ phone })
  const { customer, token, expiresAt, ...more } = await shop.verifyOtp({ phone, otp: service.codeFor(phone) })
  assert.deepEqual(more, {})
  assert.deepEqual(await shop.session(), { token, customerId: customer.id, expiresAt })
  assert.equal(await shop.cartId(), null)
  assert.deepEqual(await shop.listCartItems(), [])
  assert.deepEqual((await shop.mergeGuestData({ guestToken: String(guest) })).merged.cartItems, 1)
  assert.equal(await shop.guestToken(), null)
  assert.deepEqual(quantities(await shop.listCartItems()), [1])
})

test('a code is bound to the client that requested it, which proves itself for an hour', async () => {
  const storage = memoryStorage()
  const { shop, open } = await openShop({ storage })
  const stranger = open({ storage: memoryStorage() })
  const phone = '+919876500002'
  await shop.requestOtp({ phone })
  const otp = service.codeFor(phone)
  while (await stranger.requestOtp({ phone }).catch(() => null));
  for (let i = 0; i < 3; i++) await stranger.verifyOtp({ phone, otp: '000000' }).catch(() => null)
  // The page was reloaded meanwhile.
  const reloaded = open()
  const first = await reloaded.verifyOtp({ phone, otp })
  await reloaded.logOut()
  await reloaded.requestOtp({ phone })
  const again = await reloaded.verifyOtp({ phone, otp: service.codeFor(phone) })
  assert.equal(again.customer.id, first.customer.id)
  await reloaded.forget()
  await assert.rejects(reloaded.requestOtp({ phone }), refused('RATE_LIMITED'))
})

test('a code whose delivery is uncertain still signs in', async (t) => {
  const send = { fails: false }
  const doubtful = await serviceFor(t, {
    sender: {
      name: 'doubtful',
      send: async () => {
        if (send.fails) throw new SmsUncertain('No answer in time.')
      },
    },
  })
  const shop = createClient({ url: doubtful.url, storeKey: (await newStore(doubtful)).key, retries: 0 })
  const phone = '+919876500005'
  await shop.requestOtp({ phone })
  send.fails = true
  await assert.rejects(shop.requestOtp({ phone }), refused('BAD_GATEWAY'))
  const { customer } = await shop.verifyOtp({ phone, otp: doubtful.codeFor(phone) })
  assert.equal(customer.phone, phone)
})

test('a client that requested a code for another phone meanwhile can still sign in', async () => {
  const { shop } = await openShop()
  await shop.requestOtp({ phone: '+919876500003' })
  await shop.requestOtp({ phone: '+919876500004' })
  for (const phone of ['+919876500003', '+919876500004']) {
    const { customer } = await shop.verifyOtp({ phone, otp: service.codeFor(phone) })
    assert.equal(customer.phone, phone)
  }
})

test('signing out everywhere ends all sessions; changing the password keeps this one', async () => {
  const { shop, open } = await openShop({ storage: memoryStorage() })
  const asha = newAccount()
  await shop.signUp(asha)
  const phone = open({ storage: memoryStorage() })
  await phone.signIn(asha)
  await assert.rejects(shop.changePassword({ newPassword: 'another password' }), { code: 'FORBIDDEN' })
  await shop.changePassword({ currentPassword: asha.password, newPassword: 'another password' })
  assert.equal((await shop.showCustomer()).name, 'Asha')
  await assert.rejects(phone.showCustomer(), { code: 'UNAUTHORIZED' })
  await phone.signIn({ ...asha, password: 'another password' })
  assert.deepEqual(await shop.logOutEverywhere(), { success: true })
  assert.equal(await shop.session(), null)
  await assert.rejects(phone.showCustomer(), { code: 'UNAUTHORIZED' })
  assert.deepEqual(await phone.logOutEverywhere().catch(({ code }) => code), 'UNAUTHORIZED')
})

test('signing in with merge and no guest, or an expired one, merges nothing', async () => {
  const storage = memoryStorage()
  const { shop } = await openShop({ storage })
  const asha = newAccount()
  assert.deepEqual((await shop.signUp(asha, { merge: true })).merged, null)
  await shop.logOut()
  await storage.set('vitrine.guestToken', 'gst_of.no.body')
  const { merged, mergeError } = await shop.signIn(asha, { merge: true })
  assert.deepEqual([merged, mergeError, await shop.guestToken()], [null, null, null])
})

test('when the merge fails, the customer is signed in and can merge later', async (t) => {
  const { store, mug } = await openShop()
  const proxy = await startFaultyProxy(t, service.url)
  const shop = createClient({ url: proxy.url, storeKey: store.key })
  await shop.addToCart({ productId: mug })
  proxy.fail('none', 'lost on the way there')
  const { merged, mergeError } = await shop.signUp(newAccount(), { merge: true })
  assert.deepEqual([merged, mergeError?.code], [null, 'NETWORK'])
  assert.ok(await shop.session())
  assert.equal((await shop.mergeGuestData({ guestToken: String(await shop.guestToken()) })).merged.cartItems, 1)
})

test('an unknown session is dropped after a 401, and the shop is notified', async () => {
  let signedOut = 0
  const { shop, open } = await openShop({ onSignedOut: () => void signedOut++ })
  const { token } = await shop.signUp(newAccount())
  await open({ headers: { Authorization: `Bearer ${token}` } }).logOut()
  assert.ok(await shop.session())
  await assert.rejects(shop.showCustomer(), refused('UNAUTHORIZED'))
  assert.deepEqual([await shop.session(), signedOut], [null, 1])
  await assert.rejects(shop.showCustomer(), refused('UNAUTHORIZED'))
  assert.equal(signedOut, 1)
})

test('a 401 for an old session leaves a newer one alone', async (t) => {
  const { store } = await openShop()
  const proxy = await startFaultyProxy(t, service.url)
  const storage = memoryStorage()
  const newer = JSON.stringify({ token: 'ses_newer', customerId: 'cus_1', expiresAt: '2099-01-01T00:00:00.000Z' })
  const meanwhile: typeof fetch = async (...args) => {
    await storage.set('vitrine.session', newer)
    return fetch(...args)
  }
  await storage.set('vitrine.session', newer.replace('newer', 'older'))
  const shop = createClient({ url: proxy.url, storeKey: store.key, storage, fetch: meanwhile })
  await assert.rejects(shop.showCustomer(), refused('UNAUTHORIZED'))
  assert.equal((await shop.session())?.token, 'ses_newer')
})

test('logging out ends the session locally and in the service, also when it had expired there', async () => {
  let signedOut = 0
  const { shop, open } = await openShop({ onSignedOut: () => void signedOut++ })
  const { token } = await shop.signUp(newAccount())
  await shop.logOut()
  assert.equal(await shop.session(), null)
  const other = open({ headers: { authorization: `Bearer ${token}` } })
  await assert.rejects(other.showCustomer(), refused('UNAUTHORIZED'))

  const second = await shop.signUp(newAccount())
  await open({ headers: { authorization: `Bearer ${second.token}` } }).logOut()
  assert.deepEqual(await shop.logOut(), { success: true })
  assert.deepEqual([await shop.session(), signedOut], [null, 0])
  assert.deepEqual(await shop.logOut(), { success: true })
})

test('a refused guest token is replaced, and the call is retried', async () => {
  const storage = memoryStorage()
  const { shop, mug } = await openShop({ storage })
  await shop.addToCart({ productId: mug })
  await storage.set('vitrine.guestToken', 'gst_forged.by.attacker')
  const cart = await shop.addToCart({ productId: mug, quantity: 4 })
  assert.deepEqual([cart.itemCount, await shop.cartId()], [4, cart.id])
  assert.deepEqual(quantities(await shop.listCartItems()), [4])
})

test('a guest who is replaced has no cart yet', async () => {
  const storage = memoryStorage()
  const { shop, mug } = await openShop({ storage })
  await shop.addToCart({ productId: mug })
  await storage.set('vitrine.guestToken', 'gst_forged.by.attacker')
  assert.deepEqual(await shop.listWishlist(), [])
  assert.equal(await shop.cartId(), null)
})

test('a guest who was merged elsewhere continues as a new guest', async () => {
  const { shop, open, mug } = await openShop()
  await shop.addToCart({ productId: mug })
  const customer = open({ storage: memoryStorage() })
  await customer.signUp(newAccount())
  await customer.mergeGuestData({ guestToken: String(await shop.guestToken()) })
  assert.equal((await shop.addToCart({ productId: mug, quantity: 7 })).itemCount, 7)
})

test('forgetting drops the session, the guest and the cart', async () => {
  const { shop, mug } = await openShop()
  await shop.addToCart({ productId: mug })
  await shop.signUp(newAccount())
  await shop.forget()
  assert.deepEqual([await shop.session(), await shop.guestToken(), await shop.cartId()], [null, null, null])
})

test('a cart that was deleted is no longer the cart', async () => {
  const { shop, mug } = await openShop()
  await shop.signUp(newAccount())
  const { id } = await shop.addToCart({ productId: mug })
  assert.equal(await shop.cartId(), id)
  assert.equal(await shop.deleteCart({ cartId: id }), undefined)
  assert.equal(await shop.cartId(), null)
})

test('a cart that was deleted elsewhere is dropped on the first 404', async () => {
  const { shop, open, mug } = await openShop()
  const { token } = await shop.signUp(newAccount())
  const { id } = await shop.addToCart({ productId: mug })
  await open({ headers: { authorization: `Bearer ${token}` } }).deleteCart({ cartId: id })
  assert.equal(await shop.cartId(), id)
  assert.deepEqual([await shop.listCartItems(), await shop.cartId()], [[], null])
})

test('an asynchronous storage is awaited', async () => {
  const values = new Map<string, string>()
  const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(resolve, value))
  const storage: ClientStorage = {
    get: (name) => later(values.get(name) ?? null),
    set: (name, value) => later(void values.set(name, value)),
    remove: (name) => later(void values.delete(name)),
  }
  const { shop, mug } = await openShop({ storage })
  await shop.addToCart({ productId: mug })
  await shop.signUp(newAccount(), { merge: true })
  assert.deepEqual(quantities(await shop.listCartItems()), [1])
  assert.deepEqual([...values.keys()].sort(), ['vitrine.cartId', 'vitrine.session'])
})

test('a storage that throws does not prevent shopping', async () => {
  const broken = () => {
    throw new Error('QuotaExceededError')
  }
  const unreadable = webStorage({ getItem: broken, setItem: broken, removeItem: broken })
  const full = webStorage({ getItem: () => null, setItem: broken, removeItem: () => {} })
  for (const storage of [unreadable, full]) {
    const { shop, mug } = await openShop({ storage })
    await shop.addToCart({ productId: mug })
    assert.deepEqual(quantities(await shop.listCartItems()), [1])
    await shop.signUp(newAccount(), { merge: true })
    assert.deepEqual(quantities(await shop.listCartItems()), [1])
    await shop.logOut()
    assert.equal(await shop.session(), null)
  }
})

test('foreign values under the storage keys of the client do no harm', async () => {
  const { shop, open } = await openShop()
  const storage = memoryStorage()
  for (const text of ['', 'no json', 'null', '42', '{}']) {
    await storage.set('vitrine.session', text)
    assert.equal(await open({ storage }).session(), null)
  }
  assert.deepEqual(await shop.listCartItems(), [])
})

test('a prefix keeps two shops in one web storage apart', async () => {
  const values = new Map<string, string>()
  const local = {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
  const { open } = await openShop()
  const one = open({ storage: webStorage(local, 'one.') })
  const two = open({ storage: webStorage(local, 'two.') })
  await one.signUp(newAccount())
  assert.equal(await two.session(), null)
  assert.deepEqual([...values.keys()], ['one.vitrine.session'])
})

test('a server that calls for a customer gets no guest token', async () => {
  const { shop, open, mug } = await openShop()
  const { user } = await shop.signUp(newAccount())
  const server = open()
  const cart = await server.addToCart({ productId: mug }, { headers: { 'X-Customer-Id': user.id } })
  assert.deepEqual([cart.customerId, await server.guestToken()], [user.id, null])
})
