import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type ClientOptions, createClient, isVitrineError, memoryStorage } from '../sdk/src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { newStore, startTestService, type TestService } from './harness.ts'

/** Sessions when answers are late, lost or for another shopper. */
let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async (t: TestContext, options: Partial<ClientOptions> = {}) => {
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 100 })
  const proxy = await startFaultyProxy(t, service.url)
  const storage = memoryStorage()
  const open = (more: Partial<ClientOptions> = {}) =>
    createClient({ url: proxy.url, storeKey: store.key, retries: 0, storage, ...options, ...more })
  const [mug] = (await open().listProducts()).items
  assert.ok(mug)
  return { store, proxy, storage, open, shop: open(), mug: { productId: mug.id } }
}

let people = 0
const newAccount = () => ({ name: 'Asha', email: `asha.s${++people}@example.com`, password: 'a long password' })
const refused = (code: Parameters<typeof isVitrineError>[1]) => (error: unknown) => isVitrineError(error, code)

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('logging out ends the local session even when the service cannot be reached', async (t) => {
  const { shop, proxy } = await openShop(t)
  for (const fault of ['lost on the way there', 'lost on the way back', { status: 503 }] as const) {
    await shop.signUp(newAccount())
    proxy.fail(fault)
    await assert.rejects(shop.logOut(), (error) => isVitrineError(error) && error.code !== 'UNAUTHORIZED')
    assert.equal(await shop.session(), null)
  }
})

test('only a 401 of the service ends a session', async (t) => {
  let signedOut = 0
  const { shop, open, proxy } = await openShop(t, { onSignedOut: () => void signedOut++ })
  const { token } = await shop.signUp(newAccount())
  await assert.rejects(open({ storeKey: 'vpk_rotated' }).showCustomer(), refused('UNAUTHORIZED'))
  proxy.fail(
    { status: 401, headers: { 'www-authenticate': 'Basic' }, body: '<h1>Who are you?</h1>' },
    { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: '<h1>Who are you?</h1>' },
    { status: 401, body: '{"error":"No.","code":"UNAUTHORIZED"}' },
  )
  for (let i = 0; i < 3; i++) await assert.rejects(shop.showCustomer(), isVitrineError)
  assert.deepEqual([(await shop.session())?.token, signedOut], [token, 0])
})

test('several refusals at once sign out once', async (t) => {
  const values = memoryStorage()
  const later = async <T>(value: T) => new Promise<T>((resolve) => setImmediate(resolve, value))
  let signedOut = 0
  const allHere = gate()
  let refusals = 0
  const { shop, open } = await openShop(t, {
    storage: {
      get: async (name) => later(await values.get(name)),
      set: async (name, value) => later(await values.set(name, value)),
      remove: async (name) => later(await values.remove(name)),
    },
    onSignedOut: () => void signedOut++,
    fetch: async (...args) => {
      const answer = await fetch(...args)
      if (answer.status !== 401) return answer
      if (++refusals === 3) allHere.open()
      await allHere.opened
      return answer
    },
  })
  const { token } = await shop.signUp(newAccount())
  await open({ storage: memoryStorage(), headers: { authorization: `Bearer ${token}` } }).logOut()
  const calls = [shop.showCustomer(), shop.showCustomer(), shop.showCustomer()]
  for (const { status } of await Promise.allSettled(calls)) assert.equal(status, 'rejected')
  assert.deepEqual([await shop.session(), signedOut], [null, 1])
})

test('a session that begins while an old one is being dropped stays', async (t) => {
  const values = memoryStorage()
  const [looked, goOn, answered] = [gate(), gate(), gate()]
  let isHeld = false
  const { shop, open } = await openShop(t, {
    storage: {
      ...values,
      get: async (name) => {
        const value = await values.get(name)
        if (isHeld && name === 'vitrine.session') {
          isHeld = false
          looked.open()
          await goOn.opened
        }
        return value
      },
    },
  })
  const { token } = await shop.signUp(newAccount())
  await open({ storage: memoryStorage(), headers: { authorization: `Bearer ${token}` } }).logOut()
  const watching = open({
    fetch: async (...args) => {
      const answer = await fetch(...args)
      isHeld = answer.status === 401
      if (answer.ok) answered.open()
      return answer
    },
  })
  const old = assert.rejects(watching.showCustomer(), refused('UNAUTHORIZED'))
  await looked.opened
  const newer = watching.signUp(newAccount())
  await answered.opened
  // Time for the new session to be stored while the old one is still in use.
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  goOn.open()
  await old
  assert.equal((await newer).token, (await watching.session())?.token)
})

test('an error in the sign-out handler does not hide the original error', async (t) => {
  const { shop, storage } = await openShop(t, {
    onSignedOut: () => {
      throw new Error('no such element')
    },
  })
  await storage.set('vitrine.session', '{"token":"ses_over","customerId":"cus_1","expiresAt":""}')
  await assert.rejects(shop.showCustomer(), (error: Error) => {
    assert.equal((error.cause as Error).message, 'no such element')
    return isVitrineError(error, 'UNAUTHORIZED')
  })
})

test('a late answer to a guest does not replace the cart of the customer', async (t) => {
  const { open: release, opened } = gate()
  let isHeld = false
  const { shop, proxy, mug } = await openShop(t, {
    fetch: async (...args) => {
      const waits = isHeld
      isHeld = false
      const answer = await fetch(...args)
      if (waits) await opened
      return answer
    },
  })
  await shop.addToCart(mug)
  isHeld = true
  const late = shop.addToCart(mug)
  await proxy.untilAnswered(proxy.seen.length + 1)
  await shop.signUp(newAccount())
  release()
  assert.equal((await late).itemCount, 2)
  assert.equal(await shop.cartId(), null)
})

test('calls with explicit credentials do not change the shopper of the client', async (t) => {
  const { shop, open, mug } = await openShop(t)
  const other = open({ storage: memoryStorage() })
  const { user, token } = await other.signUp(newAccount())
  const { id } = await shop.addToCart(mug)
  const guest = await shop.guestToken()
  const isUnchanged = async () => assert.deepEqual([await shop.guestToken(), await shop.cartId()], [guest, id])

  const theirs = await shop.addToCart(mug, { headers: { 'X-Customer-Id': user.id } })
  assert.equal(theirs.customerId, user.id)
  await isUnchanged()
  await shop.listCartItems({ headers: { Authorization: `Bearer ${token}` } })
  await isUnchanged()
  await assert.rejects(shop.listCartItems({ headers: { 'x-guest-token': 'gst_forged.by.me' } }), refused('BAD_REQUEST'))
  await isUnchanged()

  const own = await shop.signUp(newAccount())
  await shop.logOut({ headers: { Authorization: `Bearer ${token}` } })
  assert.equal((await shop.session())?.token, own.token)
  await assert.rejects(other.showCustomer(), refused('UNAUTHORIZED'))
})

test('a guest who was merged in another tab continues as the customer', async (t) => {
  const { open, mug } = await openShop(t)
  const otherTab = open()
  let meanwhile = async () => {}
  const shop = open({
    fetch: async (...args) => {
      const first = meanwhile
      meanwhile = async () => {}
      await first()
      return fetch(...args)
    },
  })
  await shop.addToCart(mug)
  let customerId = ''
  meanwhile = async () => {
    customerId = (await otherTab.signUp(newAccount(), { merge: true })).user.id
  }
  const cart = await shop.addToCart({ ...mug, quantity: 2 })
  assert.deepEqual([cart.customerId, cart.itemCount], [customerId, 3])
  assert.deepEqual([await shop.guestToken(), await shop.cartId()], [null, cart.id])
})
