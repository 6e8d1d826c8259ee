import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, webStorage } from '../sdk/src/index.ts'
import { newStore, startTestService, type TestService } from './harness.ts'

/** The client with a storage that is temporarily unreadable. */
let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const openShop = async () => {
  const store = await newStore(service)
  await store.add({ name: 'Mug', price: 10, stock: 100 })
  const values = new Map<string, string>()
  const storage = { values, isReadable: true }
  const local = {
    getItem: (name: string) => {
      if (!storage.isReadable) throw new Error('SecurityError')
      return values.get(name) ?? null
    },
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
  const open = () => createClient({ url: service.url, storeKey: store.key, retries: 0, storage: webStorage(local) })
  const [mug] = (await open().listProducts()).items
  assert.ok(mug)
  return { storage, open, shop: open(), mug: { productId: mug.id } }
}

const quantities = (items: readonly { quantity: number }[]) => items.map(({ quantity }) => quantity)
const asha = { name: 'Asha', email: 'asha.storage@example.com', password: 'a long password' }

test('while storage is unreadable, the shopper stays the same', async () => {
  const { shop, storage, mug } = await openShop()
  await shop.addToCart(mug)
  storage.isReadable = false
  assert.deepEqual(quantities(await shop.listCartItems()), [1])
  storage.isReadable = true
  await shop.signUp(asha)
  storage.isReadable = false
  assert.equal((await shop.showCustomer()).name, 'Asha')
  assert.equal((await shop.addToCart(mug)).customerId, (await shop.session())?.customerId)
})

test('a guest made while storage was unreadable is replaced by the stored one', async () => {
  const { shop, open, storage, mug } = await openShop()
  await shop.addToCart({ ...mug, quantity: 5 })
  const stored = await shop.guestToken()
  storage.isReadable = false
  const reloaded = open()
  await reloaded.addToCart(mug)
  assert.deepEqual(quantities(await reloaded.listCartItems()), [1])
  assert.equal(storage.values.get('vitrine.guestToken'), stored)
  storage.isReadable = true
  assert.deepEqual(quantities(await reloaded.listCartItems()), [5])
  assert.equal(await reloaded.guestToken(), stored)
})

test('a guest made while storage was unreadable is stored if there is no other', async () => {
  const { shop, open, storage, mug } = await openShop()
  storage.isReadable = false
  await shop.addToCart(mug)
  storage.isReadable = true
  assert.deepEqual(quantities(await shop.listCartItems()), [1])
  assert.deepEqual(quantities(await open().listCartItems()), [1])
})

test('a customer who signed out in another tab stays signed out', async () => {
  const { shop, open, storage, mug } = await openShop()
  await shop.addToCart(mug)
  storage.isReadable = false
  await shop.listCartItems()
  await open().forget()
  storage.isReadable = true
  assert.equal(await shop.guestToken(), null)
})
