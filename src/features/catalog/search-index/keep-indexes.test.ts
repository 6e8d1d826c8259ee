import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { notOnCluster } from '../../../../test/cluster.ts'
import { serviceFor } from '../../../../test/harness.ts'
import { indexFileOf, noteAsked } from './files.ts'
import { newDataDir, until } from './fixture.ts'
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
