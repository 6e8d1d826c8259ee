import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { indexFileOf, machineTimeMs } from './files.ts'
import { fillIndexFile } from './fill-index.ts'
import { newDataDir } from './fixture.ts'
import { openSearchIndexes } from './search-indexes.ts'
import { openWrittenIndex } from './written-index.ts'

const outlet = { storeId: 1, outletId: 7 }

/** An instance with a file, which the test confirms itself. */
const openOne = (t: TestContext) => {
  const folder = newDataDir(t)
  const path = indexFileOf(folder, outlet)
  fillIndexFile(path, 'test').finish()
  const written = openWrittenIndex(path, 'test')
  assert.ok(written !== undefined)
  const indexes = openSearchIndexes({ folder, minProducts: 5, onFailure: assert.ifError })
  t.after(() => {
    indexes.close()
    written.close()
  })
  written.confirm(machineTimeMs())
  return { written, indexes, isUsed: () => indexes.ask(outlet, 5, () => true) !== undefined }
}

test('an index is used from when it was confirmed after the first search, for a second', (t) => {
  const { written, isUsed } = openOne(t)
  assert.ok(!isUsed(), 'changes before the first search are not known')
  written.confirm(machineTimeMs())
  assert.ok(isUsed())
  written.confirm(machineTimeMs() - 1_001)
  assert.ok(!isUsed(), 'too old')
})

test('an index is not used after a change of its store, until it was confirmed again', (t) => {
  const { written, indexes, isUsed } = openOne(t)
  isUsed()
  written.confirm(machineTimeMs())
  assert.ok(isUsed())
  indexes.noteChange(2)
  assert.ok(isUsed(), 'another store has changed')
  const beforeMs = machineTimeMs()
  indexes.noteChange(1)
  assert.ok(!isUsed())
  written.confirm(beforeMs)
  assert.ok(!isUsed(), 'the look began before the change was known')
  written.confirm(machineTimeMs())
  assert.ok(isUsed())
  indexes.noteChanges()
  assert.ok(!isUsed())
})

test('an index that was confirmed before the machine started again is not used', (t) => {
  const { written, isUsed } = openOne(t)
  isUsed()
  written.confirm(machineTimeMs())
  assert.ok(isUsed())
  written.confirm(machineTimeMs() + 60_000)
  assert.ok(!isUsed())
})
