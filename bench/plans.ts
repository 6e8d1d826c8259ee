import pg from 'pg'
import type { Db, Queries } from '../src/db/database.ts'
import { toStatement } from '../src/db/sql.ts'
import * as lists from '../src/features/catalog/catalog.sql.ts'
import { findCategoryNames } from '../src/features/catalog/category-facets.sql.ts'
import * as searches from '../src/features/catalog/search.sql.ts'
import * as words from '../src/features/catalog/search-terms.sql.ts'
import { countedMatches } from '../src/features/catalog/word-counts.ts'
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
  const seqs = Array.from({ length: 21 }, (_, i) => i + 1)
  const category = [`cat_${outlet.storeId}_7`]
  const rare = { whole: null, begun: null }
  const asked = (words: readonly string[], whole: boolean): searches.SearchPage => ({
    terms: words.map((word) => ({ alternatives: [word], prefix: true, whole, common: rare })),
    nameKey: words.join(' '),
    ...({ sort: 'relevance', limit: 21 } as const),
  })
  const whole = (...words: string[]) => asked(words, true)
  const begun = (word: string) => asked([word], false)
  const find =
    (request: searches.SearchPage, by: searches.Lookup['by'] = 'words', mark: '~' | '^' = '~') =>
    (db: Db) => {
      const query = searches.wordQuery(outlet.outletId, mark, request.terms)
      const limit = mark === '~' ? countedMatches : searches.sortedMatches
      return searches.findMatches(db, outlet, request, { query, by }, { limit })
    }
  const walk = { rank: searches.ranks.whole + 1, rows: 1_024, sample: 1_024, prefixes: false }
  const beginnings = { rank: searches.ranks.begun + 1, rows: 1_024, sample: 1_024, prefixes: true }
  return [
    ['the list', (db) => lists.listPlaces(db, outlet, page)],
    ['a page far behind', (db) => lists.listPlaces(db, outlet, { ...page, position: [200_000] })],
    ['by price', (db) => lists.listPlaces(db, outlet, { ...page, sort: 'price' })],
    ['by name, downwards', (db) => lists.listPlaces(db, outlet, { ...page, sort: '-name' })],
    ['a category', (db) => lists.listPlaces(db, outlet, { ...page, categoryIds: category })],
    ['sold-out products', (db) => lists.listPlaces(db, outlet, { ...page, inStock: false })],
    ['between prices', (db) => lists.listPlaces(db, outlet, { ...page, minMinor: 20_000, maxMinor: 20_100 })],
    ['the products of a list', (db) => lists.writeProducts(db, outlet, seqs, money)],
    ['a product', (db) => lists.findProduct(db, outlet, 'product-9876')],
    ['categories', (db) => lists.listCategories(db, outlet.storeId, undefined, 21)],
    ['names of categories', (db) => findCategoryNames(db, outlet.storeId, category)],
    ['what is known of words', (db) => words.lookUpWords(db, outlet.storeId, ['wieea', 'wouta'])],
    ['what a misspelt word may mean', (db) => words.findLookalikes(db, outlet.storeId, 'wixsrol')],
    ['the same with two typos', (db) => words.findFarLookalikes(db, outlet.storeId, 'wixsrol')],
    ['a search of two words', find(whole('wieea', 'wouta'))],
    ['a search of a rare word', find(whole('wisrol'))],
    ['a search of names', find(whole('wole'), 'words', '^')],
    ['a search of a word in most products', (db) => searches.walkCommon(db, outlet, whole('wa'), walk)],
    ['a search for a short prefix', (db) => searches.walkCommon(db, outlet, begun('wtt'), beginnings)],
    ['a search of two words in most products', find(whole('wa', 'we'), { newest: 10_000 })],
    ['a search in a category', find({ ...whole('wieea'), categoryIds: category })],
    ['a search of a common word in a category', find({ ...begun('wieea'), categoryIds: category }, 'both')],
    ['a search of a word in most products in a category', find({ ...whole('wa'), categoryIds: category }, 'category')],
    ['too many matches by price', (db) => searches.walkMatches(db, outlet, { ...begun('wie'), sort: 'price' })],
    ['suggestions', (db) => searches.suggestProducts(db, outlet, begun('wisr'))],
    ['suggestions for a short prefix', (db) => searches.suggestProducts(db, outlet, begun('wie'), 256)],
    ['suggested categories', (db) => searches.suggestCategories(db, outlet, ['cat'], 4)],
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
      return Object.assign([], { matches: null, sample: null }) as never
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
  pg.escapeLiteral(Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join(',')}}` : String(value))
