import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeEventBody } from './event-body.ts'

const event = {
  ...{ id: 'evt_1', type: 'order.paid', subject: 'ord_1', sequence: 3, data: null },
  createdAt: new Date('2026-11-17T10:00:00Z'),
}
const line = { id: 'item_1', name: 'क'.repeat(100) }

test('a body has type, time, store, sequence and data', () =>
  assert.equal(
    writeEventBody('store_1', event, { id: 'ord_1', items: [] }),
    '{"type":"order.paid","timestamp":"2026-11-17T10:00:00.000Z","storeId":"store_1","sequence":3,"data":{"id":"ord_1","items":[]}}',
  ))

test('a body over 20 kB leaves out the lines of the order and says so', () => {
  const order = (lines: number) => ({ id: 'ord_1', items: Array.from({ length: lines }, () => line), total: 5 })
  const short = JSON.parse(writeEventBody('store_1', event, order(55)))
  assert.deepEqual([short.data.items.length, 'truncated' in short], [55, false])
  const text = writeEventBody('store_1', event, order(65))
  assert.ok(Buffer.byteLength(text) < 20_000)
  const { truncated, data, ...rest } = JSON.parse(text)
  assert.deepEqual([truncated, data], [true, { id: 'ord_1', items: [], total: 5 }])
  assert.deepEqual(Object.keys(rest), ['type', 'timestamp', 'storeId', 'sequence'])
})

test('a product over 20 kB comes without what is long', () => {
  const data = { id: 'prod_1', name: 'Mug', description: 'x'.repeat(30_000), variants: [{ id: 'var_1' }] }
  const { truncated, data: sent } = JSON.parse(writeEventBody('store_1', event, data))
  assert.deepEqual([truncated, sent], [true, { id: 'prod_1', name: 'Mug', description: '', variants: [] }])
})
