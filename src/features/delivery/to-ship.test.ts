import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { wasLocal } from '../../../test/cluster.ts'
import { runSql } from '../../../test/databases.ts'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { assertError, databaseUrl, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { readMigrations } from '../../db/migration-files.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { listOrdersOfStore } from '../orders/order-list.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'
import { openCarrierOrder } from './fixture.ts'
import { cancelShipment } from './shipment-actions.ts'

let service: TestService
let double: ShiprocketDouble
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  service = await startTestService({
    ...{ passwords: cheapPasswords, carriers: [createShiprocket(double.url)], databasePoolSize: 20 },
  })
})
after(async () => {
  await service.close()
  await double.close()
})

type Listed = { id: string; items: { toShip: number }[] }

/** A shop with a mug, a bowl and a book, which is a download. `toShip` lists ids, and checks that all that count agree. */
const open = async () => {
  const scene = await openRefundScene(service, { prices: { Mug: 100, Bowl: 50 } })
  await scene.shop.add({ name: 'Book', price: 20, digital: { file: 'book.txt' } })
  const owner = await newStaff(service, scene.shop)
  const read = async (path: string) => {
    const answer = await owner.inStore('GET', path)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const list = async (filter: string): Promise<string[]> =>
    (await read(`/orders?${filter}`)).json.data.map(({ id }: Listed) => id)
  const toShip = async () => {
    const { data, total } = (await read('/orders?toShip=true&limit=100')).json
    const ids: string[] = data.map(({ id }: Listed) => id)
    assert.equal(total, ids.length)
    assert.deepEqual((await read('/today')).json.toShip, { total: ids.length, totalIsExact: true })
    assert.deepEqual(await scene.findings({ isMoved: true }), [])
    return ids
  }
  return { ...scene, owner, read, list, toShip }
}

test('the list of what is to ship has paid orders and cash orders until their last unit is shipped, refunded or cancelled', async () => {
  const { order, toShip, owner, list, read, store } = await open()
  assert.deepEqual(await toShip(), [])
  await order({ mug: 1 }, { isPaid: false })
  await order({ book: 1 })
  assert.deepEqual(await toShip(), [], 'unpaid, and nothing to ship')

  const cash = await order({ mug: 2 }, { method: 'cod', isPaid: false })
  const paid = await order({ mug: 2, bowl: 1, book: 1 })
  assert.deepEqual(await toShip(), [paid.id, cash.id])

  // With every other filter, in files and on the command line.
  assert.deepEqual(await list('toShip=true&sort=createdAt'), [cash.id, paid.id])
  assert.deepEqual(await list('toShip=true&status=pending'), [cash.id])
  assert.deepEqual(await list('toShip=true&status=delivered'), [])
  const { number } = (await read(`/orders/${cash.id}`)).json
  assert.deepEqual(await list(`toShip=true&q=${number}`), [cash.id])
  assert.deepEqual(await list(`toShip=true&outlet=${store.defaultOutlet.publicId}`), [paid.id, cash.id])
  assert.deepEqual(await list('toShip=true&from=2999-01-01'), [])
  const file = await read('/orders?toShip=true&format=csv')
  assert.equal(file.text.trim().split('\n').length, 3)
  const printed = await listOrdersOfStore(service.db, store, { toShip: true, limit: 10 })
  assert.deepEqual(
    printed.map(({ id }) => id),
    [paid.id, cash.id],
  )
  assertError(await owner.inStore('GET', '/orders?toShip=false'), 400, 'BAD_REQUEST')

  // Shipped by hand, without any event of a carrier.
  await cash.ship()
  assert.deepEqual(await toShip(), [paid.id])
  const [mug = '', bowl = ''] = paid.lines
  await paid.ship({ line: mug, quantity: 1 })
  assert.deepEqual(await toShip(), [paid.id], 'a mug and the bowl are left')
  service.clock.advance(1000)
  await paid.refund({ items: [{ id: bowl, quantity: 1 }] })
  assert.deepEqual(await toShip(), [paid.id], 'a mug is left')
  await paid.ship({ line: mug, quantity: 1 })
  assert.deepEqual(await toShip(), [])

  const [cancelled, refunded, delivered] = [
    await order({ mug: 1 }, { method: 'cod', isPaid: false }),
    await order({ mug: 1 }),
    await order({ mug: 1 }, { method: 'cod', isPaid: false }),
  ]
  assert.deepEqual(await toShip(), [delivered.id, refunded.id, cancelled.id])
  assert.equal((await cancelled.cancel()).status, 200)
  await refunded.refund()
  assert.equal((await owner.inStore('POST', `/orders/${delivered.id}/deliver`)).status, 200)
  assert.deepEqual(await toShip(), [])
})

test('a search finds what is to ship by a name', async () => {
  const { order, list } = await open()
  const [first, second] = [await order({ mug: 1 }), await order({ mug: 1 })]
  const { name } = (await first.show()).shippingAddress
  assert.deepEqual(await list(`toShip=true&q=${encodeURIComponent(name)}`), [second.id, first.id])
  await second.ship()
  assert.deepEqual(await list(`toShip=true&q=${encodeURIComponent(name)}`), [first.id])
  assert.deepEqual(await list(`q=${encodeURIComponent(name)}`), [second.id, first.id])
})

test('an order is to ship until its parcel is booked, and again when it is cancelled', async () => {
  const { orderId, ctx, book, store } = await openCarrierOrder(service, double, { method: 'cod' })
  const isToShip = async () => {
    const findings = await checkInvariants(service.db, { storeId: store.id })
    assert.deepEqual(
      findings.filter(({ rule }) => rule.includes('left to ship')),
      [],
    )
    return (await listOrdersOfStore(service.db, store, { toShip: true, limit: 10 })).some(({ id }) => id === orderId)
  }
  assert.ok(await isToShip())
  double.behaviour.courier = 'refused'
  await assert.rejects(book())
  assert.ok(await isToShip(), 'the booking was interrupted')
  double.behaviour.courier = 'assigned'
  const { id } = await book()
  assert.ok(!(await isToShip()))
  await cancelShipment(ctx, id)
  assert.ok(await isToShip())
  await book()
  assert.ok(!(await isToShip()))
})

test('what is to ship stays right while units are shipped, refunded, delivered and cancelled at once', async () => {
  const { order, owner, read, toShip, setStock } = await open()
  await setStock(200)
  const ended = new Set<string>()
  for (let round = 0; round < 6; round++) {
    const isCash = round % 3 === 2
    const { id, lines, ship, refund, cancel } = await order(
      { mug: 3, bowl: 2 },
      isCash ? { method: 'cod', isPaid: false } : {},
    )
    const [mug = '', bowl = ''] = lines
    const work: (() => Promise<unknown>)[] = [
      () => ship({ line: mug, quantity: 1 }),
      () => ship({ line: mug, quantity: 1 }),
      () => refund({ items: [{ id: mug, quantity: 1 }] }),
      () => refund({ items: [{ id: bowl, quantity: 2 }], restock: round % 2 === 0 }),
      ...(isCash ? [cancel] : []),
      ...(round >= 3 ? [() => owner.inStore('POST', `/orders/${id}/deliver`)] : []),
    ]
    // Some are refused because others were faster.
    await Promise.allSettled(work.map((one) => one()))
    service.clock.advance(1000)
    const { items, status, paymentMethod }: Listed & { status: string; paymentMethod: string } = (
      await read(`/orders/${id}`)
    ).json
    const isLeft = items.some((item) => item.toShip > 0) && (status !== 'pending' || paymentMethod === 'cod')
    assert.equal((await toShip()).includes(id), isLeft, JSON.stringify(items))
    if (!isLeft) ended.add(id)
  }
  assert.ok(ended.size > 0)
})

test('the migration finds what is to ship', wasLocal, async () => {
  const { order, toShip, setStock, store } = await open()
  await setStock(200)
  await order({ mug: 1 })
  await order({ mug: 1 }, { method: 'cod', isPaid: false })
  for (const restock of [true, false]) {
    const { lines, ship, refund } = await order({ mug: 3, bowl: 2 })
    const [mug = '', bowl = ''] = lines
    await ship({ line: mug, quantity: 1 })
    await refund({ items: [{ id: bowl, quantity: 2 }], restock })
  }
  await (await order({ mug: 2 })).ship()
  await (await order({ mug: 1 })).refund()
  const known = await toShip()
  const { text = '' } = readMigrations().find(({ name }) => name.includes('to_ship')) ?? {}
  const [backfill] = /update orders o[^;]+/.exec(text) ?? []
  await runSql(
    databaseUrl,
    `update orders set to_ship = false where store_id = ${store.id}; ${backfill} and o.store_id = ${store.id}`,
  )
  assert.deepEqual(await toShip(), known)
  assert.equal(known.length, 4)
})
