import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { notOnCluster } from '../../../../test/cluster.ts'
import { serviceFor } from '../../../../test/harness.ts'
import { noteListingChange } from '../listing-change.sql.ts'
import { indexFileOf, noteAsked } from './files.ts'
import { newDataDir, newIndexedShop, searchByIndex, startIndexed, until } from './fixture.ts'
import { keepIndexes, maxIndexes } from './keep-indexes.ts'

const oneServer = notOnCluster('its servers number their transactions each for itself, so there is no index')

test('stores that are asked for at once get no more files than there is room for', oneServer, async (t) => {
  const { db } = await serviceFor(t)
  const folder = newDataDir(t)
  const stop = new AbortController()
  const outlets = Array.from({ length: maxIndexes + 4 }, (_, i) => ({ storeId: 1_000_000, outletId: i + 1 }))
  for (const outlet of outlets) noteAsked(folder, outlet)
  const keeping = keepIndexes({ folder, db, signal: stop.signal, log: () => {} })
  const made = () => outlets.filter((outlet) => existsSync(indexFileOf(folder, outlet))).length
  await until(() => made() >= maxIndexes)
  await pause(1_000)
  assert.equal(made(), maxIndexes)
  stop.abort()
  await keeping
})

test('of more changes than are read at once none is lost', oneServer, async (t) => {
  const service = await startIndexed(t, newDataDir(t))
  const products = Array.from({ length: 6 }, (_, i) => ({ name: `Mug ${i}`, slug: `mug-${i}`, price: 10, stock: 2 }))
  const shop = await newIndexedShop(service, ...products)
  const { storeId } = shop.outlet
  const find = async (query: string): Promise<string[]> =>
    (await searchByIndex(service, shop, `/v1/search?q=${query}`)).data.map(({ slug }: { slug: string }) => slug)
  assert.deepEqual(await find('mug&minPrice=500'), [])
  await service.db.tx(async (tx) => {
    const listed = await tx.many<{ seq: number }>`select seq from listing where store_id = ${storeId} order by seq`
    const [first, ...others] = listed.map(({ seq }) => seq)
    assert.ok(first !== undefined)
    for (let i = 0; i < 150; i++) await noteListingChange(tx, storeId, [first])
    await tx.run`update listing set price_minor = 90000 where store_id = ${storeId} and seq = ${others[0]}`
    await noteListingChange(tx, storeId, others)
  })
  await until(async () => (await find('mug&minPrice=500')).join() === 'mug-1')
})
