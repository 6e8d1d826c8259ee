import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { mergeWishlist } from './wishlist.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** A store with a guest and a customer, who add products by name, oldest first. */
const newScene = async (productCount = 3) => {
  const shop = await newStore(service)
  await shop.add(...Array.from({ length: productCount }, (_, i) => ({ name: `P${i}`, price: 1 })))
  const { id: storeId } = await shop.load()
  const asha = await newCustomer(service, shop)
  await service.db.run`insert into guest (store_id, id, seen_on) values (${storeId}, 'g', vitrine_now()::date)`
  let age = 10_000
  const add = async (owner: { guest?: string; customer?: string }, ...names: string[]) => {
    for (const name of names) {
      await service.db.run`
        insert into wishlist_item (store_id, id, guest_id, customer_id, product_id, created_at)
        select store_id, 'wish_' || ${age}::text, ${owner.guest ?? null}, ${owner.customer ?? null}, id,
          vitrine_now() - ${age--} * interval '1 second'
        from product where store_id = ${storeId} and name = ${name}`
    }
  }
  return {
    guestAdds: (...names: string[]) => add({ guest: 'g' }, ...names),
    customerAdds: (...names: string[]) => add({ customer: asha.id }, ...names),
    merge: () => service.db.tx((tx) => mergeWishlist(tx, storeId, 'g', asha.id)),
    list: async (): Promise<string[]> =>
      (await asha.call('GET', '/v1/wishlist')).json.map(({ product }: { product: { name: string } }) => product.name),
    left: async () =>
      (
        await service.db.one<{ count: number }>`
        select count(*) from wishlist_item where store_id = ${storeId} and guest_id is not null`
      ).count,
  }
}

test("a merge moves all of the guest's wishlist items", async () => {
  const scene = await newScene()
  await scene.guestAdds('P0')
  await scene.customerAdds('P1')
  await scene.guestAdds('P2')
  assert.equal(await scene.merge(), 2)
  assert.deepEqual(await scene.list(), ['P2', 'P1', 'P0'])
  assert.equal(await scene.left(), 0)
  assert.equal(await scene.merge(), 0)
})

test('a product in both lists appears once, with the older date', async () => {
  const scene = await newScene()
  await scene.guestAdds('P0')
  await scene.customerAdds('P1', 'P2', 'P0')
  await scene.guestAdds('P1')
  assert.equal(await scene.merge(), 2)
  assert.deepEqual(await scene.list(), ['P2', 'P1', 'P0'])
  assert.equal(await scene.left(), 0)
})

test("a merge into a nearly full list keeps the customer's entries and adds the newest of the guest that fit", async () => {
  const scene = await newScene(205)
  const products = Array.from({ length: 205 }, (_, i) => `P${i}`)
  await scene.guestAdds('P198', 'P199', 'P200', 'P0')
  await scene.customerAdds(...products.slice(0, 198))
  assert.equal(await scene.merge(), 4)
  const list = await scene.list()
  assert.equal(list.length, 200)
  for (const name of products.slice(0, 198)) assert.ok(list.includes(name), name)
  assert.deepEqual(list.filter((name) => ['P198', 'P199', 'P200'].includes(name)).sort(), ['P199', 'P200'])
  assert.equal(await scene.left(), 0)
  await scene.guestAdds('P204')
  assert.equal(await scene.merge(), 1)
  assert.equal((await scene.list()).length, 200)
})
