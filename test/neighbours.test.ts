import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { connectDb } from '../src/db/database.ts'
import { maxQueued, splitPool } from '../src/db/queueing.ts'
import { connectionTo } from './databases.ts'
import { assertError, databaseUrl, newStore, serviceFor, startTestService, type TestService } from './harness.ts'
import { countWaiting, sessionOf } from './lock-waits.ts'
import { newGuest } from './shoppers.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

type Shop = Awaited<ReturnType<typeof openShop>>

const openShop = async () => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, stock: 1_000_000 })
  const mug: string = (await shop.get('/v1/products/mug')).json.id
  const newCart = async () => {
    const guest = await newGuest(service, shop)
    const add = () => guest.call('POST', '/v1/cart', { body: { productId: mug } })
    const { json } = await add()
    return { guest, add, cartId: json.id as string }
  }
  return { shop, mug, newCart }
}

/** Locks all carts of a store from outside the service, and counts the sessions that wait for them. */
const lockCarts = async (t: TestContext, { shop }: Shop) => {
  const { id } = await shop.load()
  const outside = connectDb({ connection: connectionTo(databaseUrl), poolSize: 2, clock: service.clock })
  const [locked, release] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const holding = outside.tx(async (tx) => {
    await tx.run`select from cart where store_id = ${id} for update`
    locked.resolve(await sessionOf(tx))
    await release.promise
  })
  const session = await locked.promise
  const unlock = async () => {
    release.resolve()
    await holding
  }
  t.after(async () => {
    await unlock()
    await outside.close()
  })
  /** Connections that wait for the lock, directly or behind another waiter. */
  const countBlocked = () => countWaiting(outside, session)
  return { unlock, countBlocked }
}

/** The view of other stores and the operator: uncached reads, a new key, the health check. */
const assertOthersAreServed = async (neighbour: Shop) => {
  const { key } = await neighbour.shop.newKey()
  const answers = await Promise.all([
    service.call('/health'),
    service.call('/v1/products?limit=7', { headers: { 'x-store-key': key } }),
    ...Array.from({ length: 5 }, (_, i) => neighbour.shop.get(`/v1/products?limit=${i + 10}`)),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  assert.equal((await (await neighbour.newCart()).add()).status, 200)
}

const until = async (holds: () => Promise<boolean> | boolean) => {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, `not within a minute: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('fifty changes of one cart hold one connection, and others are served while they are blocked', async (t) => {
  const [attacked, neighbour] = [await openShop(), await openShop()]
  const { guest, add, cartId } = await attacked.newCart()
  const { unlock, countBlocked } = await lockCarts(t, attacked)
  const addById = () =>
    guest.call('POST', `/v1/cart/${cartId}/items`, { body: { productId: attacked.mug, quantity: 1 } })
  const changes = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? add() : addById()))
  await until(async () => (await countBlocked()) > 0 && service.db.poolState().queued > 40)
  await assertOthersAreServed(neighbour)
  assert.equal(await countBlocked(), 1)
  await unlock()
  const done = (await Promise.all(changes)).filter(({ status }) => status === 200).length
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 1 + done)
})

test('many shoppers who change one cart by its id hold one connection too', async (t) => {
  const [attacked, neighbour] = [await openShop(), await openShop()]
  const { cartId } = await attacked.newCart()
  const guests = await Promise.all(Array.from({ length: 12 }, () => newGuest(service, attacked.shop)))
  const { unlock, countBlocked } = await lockCarts(t, attacked)
  const changes = guests.map((guest) => guest.call('PATCH', `/v1/cart/${cartId}`, { body: { couponCode: null } }))
  await until(async () => (await countBlocked()) > 0 && service.db.poolState().queued > 8)
  await assertOthersAreServed(neighbour)
  assert.equal(await countBlocked(), 1)
  await unlock()
  await Promise.all(changes)
})

test('a store whose carts are all blocked holds its share of the connections and no more', async (t) => {
  const [attacked, neighbour] = [await openShop(), await openShop()]
  const carts = await Promise.all(Array.from({ length: 20 }, () => attacked.newCart()))
  const { unlock, countBlocked } = await lockCarts(t, attacked)
  const changes = carts.map(({ add }) => add())
  const { maxPerStore: share } = splitPool(service.config.databasePoolSize)
  await until(async () => (await countBlocked()) === share && service.db.poolState().waiting > 10)
  await assertOthersAreServed(neighbour)
  assert.ok((await countBlocked()) <= share)
  await unlock()
  await Promise.all(changes)
})

test('a lock that is not acquired in time is 503 with Retry-After and changes nothing, and the next call works', async (t) => {
  const attacked = await openShop()
  const { add, guest } = await attacked.newCart()
  const { unlock } = await lockCarts(t, attacked)
  const answer = await add()
  assertError(answer, 503, 'SERVICE_UNAVAILABLE')
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
  await unlock()
  assert.equal((await add()).status, 200)
  assert.equal((await guest.call('GET', '/v1/cart')).json[0].quantity, 2)
})

test('a shopper who sends more concurrent changes than the queue holds gets an error', async (t) => {
  const attacked = await openShop()
  const { add } = await attacked.newCart()
  const { unlock } = await lockCarts(t, attacked)
  const answers = await Promise.all(
    Array.from({ length: maxQueued + 50 }, async (_, i) => {
      const answer = await add()
      if (i === maxQueued + 49) await unlock()
      return answer
    }),
  )
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0)
  for (const answer of refused) {
    assertError(answer, 429, 'RATE_LIMITED')
    assert.equal(answer.headers.get('retry-after'), '1')
  }
})

test('a shopper who disconnects leaves the queue', async (t) => {
  const own = await serviceFor(t)
  const attacked = await openShop()
  const { guest } = await attacked.newCart()
  const { unlock } = await lockCarts(t, attacked)
  const hangUp = new AbortController()
  const changes = Array.from({ length: 20 }, () =>
    fetch(`${own.url}/v1/cart`, {
      method: 'POST',
      headers: {
        'x-store-key': attacked.shop.key,
        'x-guest-token': guest.token,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ productId: attacked.mug }),
      signal: hangUp.signal,
    }).catch(() => {}),
  )
  await until(() => own.db.poolState().queued >= 15)
  hangUp.abort()
  await until(() => own.db.poolState().queued === 0)
  await Promise.all(changes)
  await unlock()
  assert.ok((await guest.call('GET', '/v1/cart')).json[0].quantity <= 2)
})
