import type { Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { OutletRef } from './catalog.sql.ts'
import { json } from './products.sql.ts'

/**
 * Has the words of a store counted soon, but not more often than every ten minutes. Called where products are created:
 * other changes make little difference to the counts.
 */
export const noteUncountedWords = (tx: Tx, storeId: StoreId) => tx.run`
  insert into search_count (store_id, due_at) values (${storeId}, vitrine_now() + interval '10 seconds')
  on conflict (store_id) do update
    set due_at = greatest(excluded.due_at, search_count.counted_at + interval '10 minutes')
  where search_count.due_at is null`

export const findStoresToCount = (db: Queries) => db.many<{ storeId: StoreId; waiting: number; oldestAt: Date }>`
  select store_id as "storeId", count(*) as waiting, min(due_at) as "oldestAt" from search_count
  where due_at is not null and due_at <= vitrine_now()
  group by store_id order by min(due_at) limit 100`

export const claimStoreToCount = (db: Queries, storeId: StoreId) => db.many<OutletRef>`
  update search_count c set due_at = vitrine_now() + interval '2 minutes'
  from store s join outlet o on o.id = s.default_outlet_id
  where s.id = ${storeId} and c.store_id = ${storeId} and c.due_at <= vitrine_now()
  returning c.store_id as "storeId", o.id as "outletId"`

export const countListed = async (db: Queries, { storeId, outletId }: OutletRef) =>
  (
    await db.one<{ products: number }>`
      select count(*)::integer as products from listing where store_id = ${storeId} and outlet_id = ${outletId}`
  ).products

export type WordCount = { word: string; products: number; named: number }

/** How many products are counted: every `step`th, and at least `minProducts` of them must have a word. */
export type Sample = { step: number; minProducts: number }

/** The words of a sample of products, as the listing has them: with the outlet and a mark in front (see `wordQuery`). */
const sampledWords = (outlet: OutletRef, step: number) => {
  const here = sql`l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId}`
  return sql`
    select tsvector_to_array(l.words) as entries
    from (select l.seq, row_number() over (order by l.seq) as number from listing l where ${here}) listed
    cross join ${byKey(sql`select * from listing l where ${here} and l.seq = listed.seq`)} l
    where listed.number % ${step} = 0`
}

/** Counts entries before it takes them apart, because there are far fewer different ones. */
const countsOf = ({ outletId }: OutletRef, entries: Fragment, minProducts: number) => {
  const markAt = String(outletId).length + 1
  return sql`
    select substr(e.entry, ${markAt + 1}) as word,
      coalesce(sum(e.products) filter (where substr(e.entry, ${markAt}, 1) = '~'), 0)::integer as products,
      coalesce(sum(e.products) filter (where substr(e.entry, ${markAt}, 1) = '^'), 0)::integer as named
    from (select entry, count(*) as products from (${entries}) e group by entry) e
    where substr(e.entry, ${markAt}, 1) in ('~', '^')
    group by 1 having coalesce(sum(e.products) filter (where substr(e.entry, ${markAt}, 1) = '~'), 0) >= ${minProducts}`
}

export const countWords = (db: Queries, outlet: OutletRef, { step, minProducts }: Sample) => {
  const entries = sql`select unnest(s.entries) as entry from (${sampledWords(outlet, step)}) s`
  return db.many<WordCount>`${countsOf(outlet, entries, minProducts)}`
}

/** Shorter beginnings are not searched, longer ones begin few words. */
const beginningLengths = [2, 3, 4, 5, 6]

/**
 * The same for beginnings of words, which are kept with a `*` behind. The words of a product are in the order of their
 * letters: where the one before begins in the same way, the product is counted already.
 */
export const countBeginnings = (db: Queries, outlet: OutletRef, { step, minProducts }: Sample) => {
  const before = String(outlet.outletId).length + 1
  const entries = sql`
    select left(w.entry, begun.length) as entry
    from (${sampledWords(outlet, step)}) s
    cross join lateral (select e.entry, lag(e.entry, 1, '') over () as previous from unnest(s.entries) as e (entry)) w
    cross join unnest(${beginningLengths.map((length) => before + length)}::integer[]) as begun (length)
    where length(w.entry) >= begun.length and left(w.entry, begun.length) <> left(w.previous, begun.length)`
  return db.many<WordCount>`
    select c.word || '*' as word, c.products, c.named from (${countsOf(outlet, entries, minProducts)}) c`
}

/** Replaces what was counted before. */
export const keepWordCounts = (tx: Tx, storeId: StoreId, words: readonly WordCount[]) => tx.run`
  with counted as (
    select * from jsonb_to_recordset(${json(words)}::jsonb) as n (word text, products integer, named integer)),
  gone as (
    delete from search_common c where c.store_id = ${storeId} and not exists (
      select from counted n where n.word = c.word))
  insert into search_common (store_id, word, products, named)
  select ${storeId}, n.word, n.products, n.named from counted n
  on conflict (store_id, word) do update set products = excluded.products, named = excluded.named
  where (search_common.products, search_common.named) is distinct from (excluded.products, excluded.named)
  returning 1`

export const noteWordsCounted = (tx: Tx, storeId: StoreId, products: number) => tx.run`
  update search_count set due_at = null, counted_at = vitrine_now(), products = ${products}
  where store_id = ${storeId}`
