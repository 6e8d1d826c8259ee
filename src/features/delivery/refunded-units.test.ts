import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { startTestService, type TestService } from '../../../test/harness.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { refundOrderById } from '../payments/refunds.ts'
import { openCarrierOrder } from './fixture.ts'

let service: TestService
let double: ShiprocketDouble
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  service = await startTestService({ carriers: [createShiprocket(double.url)] })
})
after(async () => {
  await service.close()
  await double.close()
})

/** A paid order of two mugs. */
const openTwoMugs = async () => {
  const opened = await openCarrierOrder(service, double, { goods: { mug: 2 } })
  await service.db.run`update payment set status = 'paid' where order_id = ${opened.orderId}`
  const line: string = (await opened.show()).items[0].id
  return {
    ...opened,
    bookUnits: async (quantity: number) => {
      service.clock.advance(1000)
      return (await opened.book({ items: [{ line: 'MUG', quantity }] })).items
    },
    refundOne: async (restock?: boolean) => {
      service.clock.advance(1000)
      const items = [{ id: line, quantity: 1 }]
      const { status } = await refundOrderById(
        service.app.services,
        opened.orderId,
        restock === undefined ? { items } : { items, restock },
      )
      assert.equal(status, 'succeeded')
    },
  }
}

test('a refunded unit that was shipped leaves the other one to ship', async () => {
  for (const restock of [true, false]) {
    const { book, bookUnits, refundOne } = await openTwoMugs()
    await bookUnits(1)
    await refundOne(restock)
    await assert.rejects(bookUnits(2), /1/)
    const { items } = await book()
    assert.deepEqual(
      items.map(({ quantity }) => quantity),
      [1],
    )
    await assert.rejects(book(), /no units left to ship/)
  }
})

test('a refunded unit that was not shipped cannot be booked', async () => {
  for (const restock of [undefined, true, false]) {
    const { book, bookUnits, refundOne } = await openTwoMugs()
    await refundOne(restock)
    await assert.rejects(bookUnits(2), /1/)
    await bookUnits(1)
    await assert.rejects(book(), /no units left to ship/)
    await assert.rejects(bookUnits(1), /Mug/)
  }
  const { book, bookUnits, refundOne } = await openTwoMugs()
  await bookUnits(1)
  await refundOne()
  await assert.rejects(book(), /no units left to ship/, 'the other unit went back to stock')
})
