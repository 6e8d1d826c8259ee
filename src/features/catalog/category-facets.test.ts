import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeptCategoryFacets, keepCategoryFacets } from './category-facets.ts'

/** A database that returns the name it has now, for each category that is asked for. */
const aDatabase = () => {
  const state = {
    name: 'Mugs',
    nameOf: (_id: string) => state.name,
    asked: [] as string[],
    beforeAnswer: () => {},
  }
  const many = async (_strings: TemplateStringsArray, _storeId: number, ids: string[]) => {
    state.asked.push(...ids)
    const rows = ids.filter((id) => id !== 'removed').map((id) => ({ id, name: state.nameOf(id), slug: id }))
    state.beforeAnswer()
    return rows
  }
  return { state, db: { many } as never }
}

const written = async (facets: KeptCategoryFacets, db: never, storeId: number, counts: Record<string, number>) =>
  JSON.parse((await facets.write(db, storeId, new Map(Object.entries(counts)))).json)

test('names are read once, each store its own', async () => {
  const { state, db } = aDatabase()
  const facets = keepCategoryFacets()
  const mugs = { name: 'Mugs', slug: 'a', id: 'a' }
  assert.deepEqual(await written(facets, db, 1, { a: 2, removed: 7 }), [{ ...mugs, count: 2 }])
  await written(facets, db, 1, { a: 3 })
  assert.deepEqual(state.asked, ['a', 'removed'])
  await written(facets, db, 1, { a: 1, c: 1 })
  await written(facets, db, 2, { a: 1 })
  assert.deepEqual(state.asked.slice(2), ['c', 'a'])
  assert.deepEqual(await written(facets, db, 2, {}), [])
})

test('the most common category comes first, then by name, whichever were known before', async () => {
  const { state, db } = aDatabase()
  state.nameOf = (id) => `${id.slice(1)} "quoted" ${id}`
  const facets = keepCategoryFacets()
  const ids = Array.from({ length: 300 }, (_, i) => `c${(i * 7919) % 1009}`)
  for (const known of [ids.slice(200), ids.slice(50, 120), ids]) {
    const counts = Object.fromEntries(known.map((id, i) => [id, 1 + ((i * 31) % 5)]))
    const expected = known
      .map((id) => ({ id, name: state.nameOf(id), slug: id, count: counts[id] ?? 0 }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    assert.deepEqual(await written(facets, db, 1, counts), expected)
  }
})

test('searches that read names at the same time do not disturb each other', async () => {
  const { state, db } = aDatabase()
  state.nameOf = (id) => id
  const facets = keepCategoryFacets()
  const [one, other, both] = await Promise.all([
    written(facets, db, 1, { m: 1, z: 1, c: 2 }),
    written(facets, db, 1, { a: 1, m: 2, q: 3 }),
    written(facets, db, 1, { m: 1, b: 1 }),
  ])
  const shown = (list: { id: string; count: number }[]) => list.map(({ id, count }) => `${id}${count}`).join()
  assert.deepEqual([shown(one), shown(other), shown(both)], ['c2,m1,z1', 'q3,m2,a1', 'b1,m1'])
})

test('fingerprints differ when a name or a count does', async () => {
  const { state, db } = aDatabase()
  const facets = keepCategoryFacets()
  const fingerprintOf = async (counts: Record<string, number>) =>
    (await facets.write(db, 1, new Map(Object.entries(counts)))).fingerprint
  const first = await fingerprintOf({ a: 1, b: 2 })
  assert.equal(await fingerprintOf({ b: 2, a: 1 }), first)
  assert.notEqual(await fingerprintOf({ a: 2, b: 2 }), first)
  state.name = 'Cups'
  facets.drop(1)
  assert.notEqual(await fingerprintOf({ a: 1, b: 2 }), first)
})

test('dropped names are read again, also those that were being read', async () => {
  const { state, db } = aDatabase()
  const facets = keepCategoryFacets()
  const nameOf = async (storeId: number) => (await written(facets, db, storeId, { a: 1 }))[0].name
  for (const drop of [() => facets.drop(1), () => facets.dropAll()]) {
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
  facets.drop(1)
  assert.equal(await nameOf(2), 'Newer', 'of another store')
})

test('no more names are kept than the limit', async () => {
  const { state, db } = aDatabase()
  const facets = keepCategoryFacets()
  await written(facets, db, 1, { a: 1 })
  const many = Array.from({ length: 20_000 }, (_, i) => [`many ${i}`, 1] as const)
  assert.equal((await written(facets, db, 2, Object.fromEntries(many))).length, many.length)
  state.asked = []
  await written(facets, db, 1, { a: 1 })
  assert.deepEqual(state.asked, ['a'])
})
