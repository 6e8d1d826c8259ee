import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newStore } from '../../../test/harness.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { commandLine } from '../audit/record.ts'
import { adjustStock } from '../catalog/adjust-stock.ts'
import { thresholdBatchSize } from '../catalog/stock-threshold.sql.ts'
import { changeVariantThreshold } from '../catalog/stock-threshold.ts'
import { checkInvariants } from '../doctor/invariants.ts'
import { changeStoreBy, unchanged } from './settings.ts'

test('a store of many variants gets its new threshold from a job, and new stock has it at once', async (t) => {
  const { service } = await serviceAlone(t)
  const shop = await newStore(service)
  const other = await newStore(service)
  for (const at of [shop, other]) await at.add({ name: 'Mug', price: 1, stock: 7, sku: 'MUG' })
  const things = Array.from({ length: thresholdBatchSize + 10 }, (_, i) => ({
    name: `Thing ${i}`,
    price: 1,
    stock: 7,
  }))
  for (let i = 0; i < things.length; i += 500) await shop.add(...things.slice(i, i + 500))
  const store = await shop.load()
  const thresholds = () => service.db.many<{ lowAt: number; rows: number }>`
    select low_at as "lowAt", count(*) as rows from stock where store_id = ${store.id} group by low_at order by low_at`
  await service.db.tx((tx) =>
    changeVariantThreshold(tx, store, commandLine, { product: null, variantId: 'MUG', threshold: 3 }),
  )
  await service.db.tx((tx) => changeStoreBy(tx, store, commandLine, { ...unchanged, lowStockThreshold: 9 }))
  assert.deepEqual(
    (await thresholds()).map(({ lowAt }) => lowAt),
    [3, 5, 9],
    'the first rows at once, the others later',
  )
  await shop.add({ name: 'New', price: 1, stock: 7 })
  const { failures, runDue } = newRunner(service)
  await runDue()
  assert.deepEqual(failures, [])
  assert.deepEqual(await thresholds(), [
    { lowAt: 3, rows: 1 },
    { lowAt: 9, rows: things.length + 1 },
  ])
  assert.deepEqual(await checkInvariants(service.db), [])
  const [theirs] = await service.db.many`select low_at, is_low from stock where store_id = ${(await other.load()).id}`
  assert.deepEqual(theirs, { low_at: 5, is_low: false })
})

test('stock that is created while the threshold changes has the new one', async (t) => {
  const { service } = await serviceAlone(t)
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 7, sku: 'MUG' })
  const outlets = [await shop.newOutlet('Pune'), await shop.newOutlet('Goa'), await shop.newOutlet('Delhi')]
  const store = await shop.load()
  await Promise.all([
    ...outlets.map((outletId) =>
      service.db.tx((tx) =>
        adjustStock(tx, store, commandLine, { product: null, variantId: 'MUG', outletId, quantity: 7 }),
      ),
    ),
    ...[8, 9, 10].map((lowStockThreshold) =>
      service.db.tx((tx) => changeStoreBy(tx, store, commandLine, { ...unchanged, lowStockThreshold })),
    ),
  ])
  await newRunner(service).runDue()
  assert.deepEqual(await checkInvariants(service.db), [])
  const rows = await service.db.many<{ low_at: number }>`select distinct low_at from stock where store_id = ${store.id}`
  assert.deepEqual(
    rows.map(({ low_at }) => low_at),
    [(await shop.load()).lowStockThreshold],
  )
})
