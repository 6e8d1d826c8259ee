import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { hours, systemClock } from '../../core/clock.ts'
import { mustExist } from '../../core/must-exist.ts'
import { connectDb, isUniqueViolation } from '../../db/database.ts'
import { makeTemplate, openHere, serverPid, undo, until, usedDataDir } from '../../db/embedded/fixture.ts'
import { migrate } from '../../db/migrate.ts'
import type { StoreId } from '../context.ts'
import { nextOrderNumber } from '../orders/numbers.ts'
import { openShop } from './fixture.ts'

makeTemplate()

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const numberOf = ({ status, text, json }: { status: number; text: string; json: { order: { number: string } } }) => {
  assert.equal(status, 201, text)
  return Number(json.order.number)
}

const lastNumber = async (storeId: StoreId) =>
  (await service.db.one<{ last: number }>`select last_number as last from order_counter where store_id = ${storeId}`)
    .last

test('the orders of a store are numbered from 1001, and concurrent checkouts have different numbers in the order of time', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const buyers = await Promise.all(Array.from({ length: 9 }, () => newBuyer({ productId: mug })))
  const [first, last, ...others] = buyers
  assert.equal(numberOf(await mustExist(first, 'a buyer').checkOut()), 1001)
  const concurrent = (await Promise.all(others.map((buyer) => buyer.checkOut()))).map(numberOf)
  assert.equal(new Set(concurrent).size, others.length)
  assert.ok(concurrent.every((number) => number > 1001))
  assert.ok(numberOf(await mustExist(last, 'a buyer').checkOut()) > Math.max(...concurrent))
  const orders = await service.db.many<{ number: number }>`
    select number from orders where store_id = ${(await shop.load()).id} order by created_at, id`
  assert.equal(orders.length, buyers.length)
})

test('a repeated call takes no number, and another store counts by itself', async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const { id } = await shop.load()
  const key = { 'idempotency-key': 'once' }
  const asha = await newBuyer({ productId: mug })
  const number = numberOf(await asha.checkOut({}, key))
  for (let i = 0; i < 3; i++) assert.equal(numberOf(await asha.checkOut({}, key)), number)
  assert.equal(await lastNumber(id), number)
  const elsewhere = await openShop(service)
  assert.equal(numberOf(await (await elsewhere.newBuyer({ productId: elsewhere.mug })).checkOut()), 1001)
})

test('a key whose answer has expired gets a new number', async (t) => {
  const own = await serviceFor(t)
  const { mug, newBuyer } = await openShop(own)
  const key = { 'idempotency-key': 'once' }
  const asha = await newBuyer({ productId: mug })
  const first = await asha.checkOut({ paymentMethod: 'online' }, key)
  const number = numberOf(first)
  const cancelled = await asha.call('POST', `/v1/customer/orders/${first.json.order.id}/cancel`)
  assert.equal(cancelled.status, 200, cancelled.text)
  own.clock.advance(hours(25))
  const again = await asha.checkOut({ paymentMethod: 'online' }, key)
  assert.ok(numberOf(again) > number, again.text)
})

test('the number of an acknowledged order is not taken again after the database server was killed', async (t) => {
  const dataDir = usedDataDir(t)
  const { connection } = await openHere(t, { dataDir, role: 'service' })
  await migrate(connection)
  const db = connectDb({ connection, poolSize: 4, clock: systemClock })
  undo(t, () => db.close())
  const { id } = await db.one<{ id: StoreId }>`
    insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
    values ('store_1', 'Shop', 'shop.test', 'INR', 'en', 'UTC', 'sandbox') returning id`
  // In place of orders: a second use of a number would fail.
  await db.run`create table placed (number integer primary key)`
  const acknowledged: number[] = []
  const placeUntilItFails = async () => {
    try {
      for (;;) {
        const number = await db.txAfter(
          (first) => nextOrderNumber(first, id),
          async (tx, number) => {
            await tx.run`insert into placed (number) values (${await number})`
            return number
          },
        )
        acknowledged.push(number)
      }
    } catch (error) {
      assert.equal(isUniqueViolation(error), false, String(error))
    }
  }
  for (let round = 1; round <= 3; round++) {
    const before = acknowledged.length
    const placing = Promise.all(Array.from({ length: 4 }, placeUntilItFails))
    await until(() => acknowledged.length >= before + 20)
    process.kill(serverPid(dataDir) ?? assert.fail('no server'), 'SIGKILL')
    await placing
    let next = 0
    await until(async () => {
      next = await nextOrderNumber(db, id).catch(() => 0)
      return next > 0
    })
    assert.ok(next > Math.max(...acknowledged), `${next} after ${Math.max(...acknowledged)}`)
  }
  assert.equal(new Set(acknowledged).size, acknowledged.length)
})
