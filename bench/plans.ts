import pg from 'pg'
import type { Db, Queries } from '../src/db/database.ts'
import { toStatement } from '../src/db/sql.ts'
import * as lists from '../src/features/catalog/catalog.sql.ts'
import * as searches from '../src/features/catalog/search.sql.ts'
import type { Shop } from './shop.ts'

type Print = (text: string) => void

/** Prints the plan of each statement of lists and searches, with its time and pages read. */
export const printPlans = async (shop: Shop, print: Print) => {
  const client = new pg.Client(shop.database.connection)
  await client.connect()
  try {
    const { rows } = await client.query(
      'select id as "storeId", default_outlet_id as "outletId" from store where public_id = $1',
      [shop.storeId],
    )
    for (const [title, run] of statements(rows[0])) {
      print(`\n## ${title}\n`)
      await run(explainingDb(client, print))
    }
  } finally {
    await client.end()
  }
}

const statements = (outlet: lists.OutletRef): [title: string, run: (db: Db) => Promise<unknown>][] => {
  const page = { sort: 'newest', limit: 21 } as const
  const money = { currency: 'INR', minorUnits: 100, untrackedStock: 999 }
  const page21 = Array.from({ length: 21 }, (_, i) => `prod_${outlet.storeId}_${String(i + 1).padStart(8, '0')}`)
  const category = [`cat_${outlet.storeId}_7`]
  const asked = (words: readonly string[], isWhole: (word: string) => boolean) => ({
    terms: words.map((word) => ({ alternatives: [word], prefix: true, whole: isWhole(word) })),
    nameKey: words.join(' '),
    ...({ sort: 'relevance', limit: 21 } as const),
  })
  // Like the service, which knows the longer words of a store.
  const found = (...words: string[]) => asked(words, (word) => word.length > 3)
  const begun = (word: string) => asked([word], () => false)
  return [
    ['the list', (db) => lists.listIds(db, outlet, page)],
    ['a page far behind', (db) => lists.listIds(db, outlet, { ...page, position: [200_000] })],
    ['by price', (db) => lists.listIds(db, outlet, { ...page, sort: 'price' })],
    ['by name, downwards', (db) => lists.listIds(db, outlet, { ...page, sort: '-name' })],
    ['a category', (db) => lists.listIds(db, outlet, { ...page, categoryIds: category })],
    ['sold-out products', (db) => lists.listIds(db, outlet, { ...page, inStock: false })],
    ['between prices', (db) => lists.listIds(db, outlet, { ...page, minMinor: 20_000, maxMinor: 20_100 })],
    ['the products of a list', (db) => lists.writeProducts(db, outlet, page21, money)],
    ['a product', (db) => lists.findProduct(db, outlet, 'product-9876')],
    ['categories', (db) => lists.listCategories(db, outlet.storeId, undefined, 21)],
    ['a search of two words', (db) => searches.searchProducts(db, outlet, found('wieea', 'wouta'), 'rare words')],
    ['a search of a rare word', (db) => searches.searchProducts(db, outlet, found('wisrol'), 'rare words')],
    ['a search of a common word', (db) => searches.searchProducts(db, outlet, found('wieea'), 'rare words')],
    ['a search of a beginning', (db) => searches.searchProducts(db, outlet, begun('wole'), 'rare words')],
    [
      'the look at the newest, before a search of words that are everywhere',
      (db) => searches.searchProducts(db, outlet, found('wa'), 'rare words'),
    ],
    ['a search for a short prefix', (db) => searches.searchProducts(db, outlet, found('wie'), 'newest')],
    ['a search of a word in most products', (db) => searches.searchProducts(db, outlet, found('wa'), 'newest')],
    [
      'a search in a category',
      (db) => searches.searchProducts(db, outlet, { ...found('wieea'), categoryIds: category }, 'rare words'),
    ],
    ['the best of too many', (db) => searches.findNamed(db, outlet, begun('wole'), { words: true })],
    ['too many matches by price', (db) => searches.walkMatches(db, outlet, { ...found('wie'), sort: 'price' })],
    ['what a misspelt word may mean', (db) => searches.lookUpWords(db, outlet.storeId, ['wixsrol'])],
    ['suggestions', (db) => searches.suggestProducts(db, outlet, found('wie'), 'newest')],
    ['suggested categories', (db) => searches.suggestCategories(db, outlet.storeId, ['cat'], 4)],
  ]
}

/** Explains each statement instead of running it; a prepared one by the plan that serves all stores. */
const explainingDb = (client: pg.Client, print: Print): Db => {
  const explain =
    (mode: string) =>
    async (strings: TemplateStringsArray, ...values: unknown[]) => {
      const { text, values: parameters } = toStatement(strings, values)
      await client.query(`set plan_cache_mode = ${mode}`)
      await client.query(`prepare asked as ${text}`)
      const given = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
      const plans: string[][] = []
      for (let i = 0; i < runs; i++) {
        const { rows } = await client.query(`explain (analyze, buffers, timing off, costs off) execute asked${given}`)
        plans.push(rows.map((row) => row['QUERY PLAN']))
      }
      for (const line of plans.sort((a, b) => millisecondsOf(a) - millisecondsOf(b))[0] ?? []) print(line)
      await client.query('deallocate asked')
      return [] as never
    }
  const queriesOf = (mode: string): Queries => {
    const run = explain(mode)
    return { many: run, one: run, maybeOne: run, run, isDistributed: async () => false }
  }
  return { ...queriesOf('force_generic_plan'), fresh: queriesOf('force_custom_plan') } as Db
}

/** The fastest run is printed, because other load only adds time. */
const runs = 5

const millisecondsOf = (plan: readonly string[]) => Number(/Execution Time: ([\d.]+)/.exec(plan.at(-1) ?? '')?.[1])

const literal = (value: unknown): string =>
  Array.isArray(value) ? `array[${value.map(literal).join(', ')}]` : pg.escapeLiteral(String(value))
