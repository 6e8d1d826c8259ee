import assert from 'node:assert/strict'
import { runSql } from './databases.ts'
import { type TestStore, withinASecond } from './harness.ts'

/** Compares what searches for common words say with a count of the whole store. */
export const assertEstimates = async (shop: TestStore, url: string) => {
  const { id, defaultOutlet } = await shop.load()
  for (const [q, query] of Object.entries({ wa: `'~wa'`, wie: `'~wie':*` })) {
    const [{ matches }] = await runSql(
      url,
      `select count(*)::integer as matches from listing where store_id = ${id} and words @@ '${query
        .replace('~', `${defaultOutlet.id}~`)
        .replaceAll("'", "''")}'`,
    )
    const { total, totalIsExact, facets } = (await shop.get(`/v1/search?q=${q}`)).json
    assert.equal(totalIsExact, false)
    assert.ok(Math.abs(total - matches) < matches / 10, `${q}: ${total} of ${matches}`)
    const inCategories = facets.categories.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    assert.ok(Math.abs(inCategories - matches) < matches / 10, `${q}: ${inCategories} of ${matches} by category`)
    assert.ok(facets.inStock.count > matches / 2 && facets.inStock.count <= total)
  }
}

export const assertPagesInOrder = async (shop: TestStore) => {
  const seen: { name: string; stock: number }[] = []
  let cursor = ''
  for (let page = 0; page < 12; page++) {
    const { data, nextCursor } = (await shop.get(`/v1/search?q=wa&limit=100${cursor && `&cursor=${cursor}`}`)).json
    seen.push(...data)
    cursor = nextCursor
  }
  assert.equal(new Set(seen.map((product) => JSON.stringify(product))).size, 1_200)
  const ranks = seen.slice(1).map(({ name, stock }) => (/\bwa\b/.test(name) ? 2 : 0) + (stock > 0 ? 1 : 0))
  assert.deepEqual(
    ranks,
    ranks.toSorted((a, b) => b - a),
  )
}

/** Names `product-1` like a word that most products have. */
export const assertNewestFirst = async (shop: TestStore) => {
  await shop.add({ slug: 'product-1', name: 'Wa', price: 1, stock: 1 })
  const find = async () => (await shop.get('/v1/search?q=wa')).json
  // An earlier test may have cached the answer, and the change arrives a moment later.
  await withinASecond(async () => (await find()).data[0].slug === 'product-1')
  const first = await find()
  assert.deepEqual([first.total > 1_000, first.totalIsExact, first.data[0].slug], [true, false, 'product-1'])
  const numberOf = ({ slug }: { slug: string }) => Number(slug.replace('product-', ''))
  assert.ok(first.data.slice(1).every((product: { slug: string }) => numberOf(product) > 20_000))
  const second = (await shop.get(`/v1/search?q=wa&cursor=${first.nextCursor}`)).json
  const slugs = [...first.data, ...second.data].map(({ slug }) => slug)
  assert.equal(new Set(slugs).size, 40)
}
