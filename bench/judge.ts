import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { wordsToFind } from '../src/features/catalog/search-words.ts'
import { judgedCatalog } from './judged-catalog.ts'
import { judgedQueries } from './judged-queries.ts'
import { searchKinds } from './reads.ts'
import { createStore, newDataDir, removeDataDir, type Service, startService } from './service.ts'
import { type Shop, untilIndexed } from './shop.ts'

type Scored = { query: string; score: number }
export type Score = { mean: number; queries: number; worst: Scored[] }

/**
 * Normalised discounted cumulative gain: 1 if nothing better could be shown in the first places, less the later the good
 * products come. `ideal`: the grades that exist, in any order.
 */
export const ndcg = (shown: readonly number[], ideal: readonly number[], places: number): number => {
  const gain = (grades: readonly number[]) =>
    grades.slice(0, places).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0)
  const best = gain([...ideal].sort((a, b) => b - a))
  return best === 0 ? 1 : gain(shown) / best
}

const summarize = (scored: Scored[]): Score => ({
  mean: scored.reduce((sum, { score }) => sum + score, 0) / scored.length,
  queries: scored.length,
  worst: scored.filter(({ score }) => score < 0.995).sort((a, b) => a.score - b.score),
})

const ask = async <Answer>(service: Service, path: string, headers: Record<string, string>): Promise<Answer> => {
  const answer = await fetch(`${service.url}${path}`, { headers })
  if (answer.status !== 200) throw new Error(`${path}: the answer was ${answer.status}`)
  return (await answer.json()) as Answer
}

type Found = { data: { id: string; slug: string }[]; correctedQuery: string | null }

const judgedPlaces = 10

/** Searches for what was judged by hand, in a store of its own. */
export const judgeQueries = async (service: Service): Promise<Score> => scoreQueries(service, importJudged(service))

/** The same in a service of its own, whose index file answers (decision 0059). */
export const judgeQueriesByIndex = async (): Promise<Score> => {
  const dataDir = newDataDir()
  try {
    const service = await startService(dataDir, { VITRINE_SEARCH_INDEX_PRODUCTS: '1' })
    try {
      const headers = importJudged(service)
      await untilIndexed(service, headers, 1)
      return await scoreQueries(service, headers)
    } finally {
      await service.stop()
    }
  } finally {
    removeDataDir(dataDir)
  }
}

const importJudged = (service: Service) => {
  const { storeId, key } = createStore(service, 'Judged', 'cod')
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-judged-'))
  try {
    const file = join(folder, 'products.json')
    writeFileSync(file, JSON.stringify(judgedCatalog()))
    service.vitrine('catalog', 'import', file, '--store', storeId)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { 'x-store-key': key }
}

const scoreQueries = async (service: Service, headers: Record<string, string>): Promise<Score> => {
  const scored: Scored[] = []
  for (const [query, grades] of Object.entries(judgedQueries)) {
    const path = `/v1/search?limit=${judgedPlaces}&q=${encodeURIComponent(query)}`
    const { data } = await ask<Found>(service, path, headers)
    const shown = data.map(({ slug }) => grades[slug] ?? 0)
    scored.push({ query, score: ndcg(shown, Object.values(grades), judgedPlaces) })
  }
  return summarize(scored)
}

/**
 * Compares the first page of each kind of search with what reading the whole store would find. Shows whether reading
 * fewer matches in a large store misses better ones.
 */
export const judgeKinds = async (shop: Shop): Promise<Score> => {
  const client = new pg.Client(shop.database.connection)
  await client.connect()
  try {
    const { rows } = await client.query(
      'select id as store, default_outlet_id as outlet from store where public_id = $1',
      [shop.storeId],
    )
    const scored: Scored[] = []
    for (const kind of searchKinds) {
      const found = await ask<Found>(shop.service, `/v1/search?${kind.query}`, shop.headers)
      // In a small store one of the words may be unknown, and the search then finds several corrections of it.
      if (found.correctedQuery !== null && kind.words.includes(' ')) continue
      const { shown, ideal } = await gradeAll(client, rows[0], kind, found)
      scored.push({ query: kind.name, score: ndcg(shown, ideal, places) })
    }
    return summarize(scored)
  } finally {
    await client.end()
  }
}

const places = 20

type Kind = (typeof searchKinds)[number]
type Outlet = { store: number; outlet: number }

/**
 * The grades of the products that were shown, and the best ones of the store: the whole name, all words in the name, all
 * as beginnings in the name, or anywhere; half a grade more in stock. In another order than relevance, the first
 * products of that order have one grade.
 */
const gradeAll = async (client: pg.Client, outlet: Outlet, kind: Kind, { data, correctedQuery }: Found) => {
  const words = wordsToFind(correctedQuery ?? kind.words).map(({ text }) => text)
  for (const { terms, enough } of formsOf(words)) {
    const rows = await gradeMatches(client, outlet, kind, terms)
    if (rows.length < enough) continue
    const gradeOf = new Map(rows.map(({ id, grade }) => [id, grade]))
    const first = rows.slice(0, places)
    const wanted = new Set((kind.order === undefined ? rows : first).map(({ id }) => id))
    return {
      shown: data.map(({ id }) => (wanted.has(id) ? (gradeOf.get(id) ?? 0) : 0)),
      ideal: first.map(({ grade }) => grade),
    }
  }
  return { shown: [], ideal: [] }
}

type Term = { word: string; end: '' | ':*' }

/** Words are looked for whole; with less than a page of matches, the last may only begin so; with none, all of them. */
const formsOf = (words: readonly string[]): { terms: Term[]; enough: number }[] => {
  const begun = words.map((word) => ({ word, end: ':*' as const }))
  // The vocabulary of a store has no shorter words.
  const whole = begun.map((term): Term => ({ ...term, end: term.word.length > 3 ? '' : ':*' }))
  return [
    { terms: whole, enough: places },
    { terms: [...whole.slice(0, -1), ...begun.slice(-1)], enough: 1 },
    { terms: begun, enough: 0 },
  ]
}

const gradeMatches = async (
  client: pg.Client,
  { store, outlet }: Outlet,
  { where = 'true', order }: Kind,
  terms: readonly Term[],
): Promise<{ id: string; grade: number }[]> => {
  const all = (mark: string, shown = terms) =>
    `'${shown.map(({ word, end }) => `''${outlet}${mark}${word}''${end}`).join(' & ')}'`
  const whole = terms.map((term): Term => ({ ...term, end: '' }))
  const grade =
    order === undefined
      ? `case when l.name_key = '${terms.map(({ word }) => word).join(' ')}' then 4
          when l.words @@ ${all('^', whole)} then 3 when l.words @@ ${all('^')} then 2 else 1 end
          + l.in_stock::integer * 0.5`
      : '1'
  const { rows } = await client.query(`
    select l.product_id as id, (${grade})::float8 as grade from listing l
    where l.store_id = ${store} and l.outlet_id = ${outlet} and l.words @@ ${all('~')} and ${where}
    order by ${order ?? 'grade desc'}, l.seq desc`)
  return rows
}

export const printScore = (title: string, { mean, queries, worst }: Score, print: (text: string) => void) => {
  print(`${title}: nDCG ${mean.toFixed(3)} of ${queries} queries`)
  for (const { query, score } of worst.slice(0, 8)) print(`  ${score.toFixed(2)}  ${query}`)
}
