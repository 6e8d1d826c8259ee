import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepCategoryNames } from './category-names.ts'

/** A database that returns the name it has now, for each category that is asked for. */
const aDatabase = () => {
  const state = { name: 'Mugs', asked: [] as string[], beforeAnswer: () => {} }
  const many = async (_strings: TemplateStringsArray, _storeId: number, ids: string[]) => {
    state.asked.push(...ids)
    const rows = ids.filter((id) => id !== 'removed').map((id) => ({ id, name: state.name, slug: id }))
    state.beforeAnswer()
    return rows
  }
  return { state, db: { many } as never }
}

test('names are read once, each store its own', async () => {
  const { state, db } = aDatabase()
  const names = keepCategoryNames()
  assert.equal((await names.read(db, 1, ['a', 'b', 'removed'])).names.get('a')?.name, 'Mugs')
  await names.read(db, 1, ['b', 'a'])
  assert.deepEqual(state.asked, ['a', 'b', 'removed'])
  await names.read(db, 1, ['a', 'c'])
  await names.read(db, 2, ['a'])
  assert.deepEqual(state.asked.slice(3), ['c', 'a'])
  assert.deepEqual([...(await names.read(db, 2, ['a'])).names.keys()], ['a'])
})

test('dropped names are read again, also those that were being read', async () => {
  const { state, db } = aDatabase()
  const names = keepCategoryNames()
  const nameOf = async (storeId: number) => (await names.read(db, storeId, ['a'])).names.get('a')?.name
  for (const drop of [() => names.drop(1), () => names.dropAll()]) {
    state.name = 'Old'
    drop()
    state.beforeAnswer = drop
    assert.equal(await nameOf(1), 'Old')
    state.beforeAnswer = () => {}
    state.name = 'New'
    assert.equal(await nameOf(1), 'New')
    state.name = 'Newer'
    assert.equal(await nameOf(1), 'New', 'kept')
    drop()
    assert.equal(await nameOf(1), 'Newer')
  }
  await nameOf(2)
  state.name = 'Newest'
  names.drop(1)
  assert.equal(await nameOf(2), 'Newer', 'of another store')
})

test('no more names are kept than the limit', async () => {
  const { state, db } = aDatabase()
  const names = keepCategoryNames()
  await names.read(db, 1, ['a'])
  const many = Array.from({ length: 20_000 }, (_, i) => `many ${i}`)
  assert.equal((await names.read(db, 2, many)).names.size, many.length)
  state.asked = []
  await names.read(db, 1, ['a'])
  assert.deepEqual(state.asked, ['a'])
})
