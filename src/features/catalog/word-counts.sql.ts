import type { Db, Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { sql } from '../../db/sql.ts'
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
    set due_at = greatest(excluded.due_at, ${tenMinutesAfterCount})
  where search_count.due_at is null`

/** In UTC, because a sum with the time zone of the session is not immutable, and refused here by a cluster (0053). */
const tenMinutesAfterCount = sql`
  (search_count.counted_at at time zone 'UTC' + interval '10 minutes') at time zone 'UTC'`

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

/** Of the next `rows` products after a number, every `step`th is read. */
export type SampledPart = { after: number; rows: number; step: number }

/** No word has these characters. */
export const wordEnds = { entry: '\u001e', product: '\u001d' }

/**
 * The words of some products as one text, in the order of their letters, as the listing has them: with the outlet and a
 * mark in front (see `wordQuery`). `last`: null if there are no more products.
 */
export const readSampledWords = (db: Db, { storeId, outletId }: OutletRef, { after, rows, step }: SampledPart) => {
  const here = sql`l.store_id = ${storeId} and l.outlet_id = ${outletId}`
  // Planned with its values, because the planner expects a store of average size and would sort a large one.
  return db.fresh.one<{ last: number | null; words: string | null }>`
    with part as materialized (
      select l.seq, row_number() over (order by l.seq) as number
      from (select l.seq from listing l where ${here} and l.seq > ${after} order by l.seq limit ${rows}) l)
    select (select max(seq) from part) as last, (
      select string_agg(array_to_string(tsvector_to_array(l.words), e'\\x1e'), e'\\x1d')
      from part cross join ${byKey(sql`select l.words from listing l where ${here} and l.seq = part.seq`)} l
      where part.number % ${step} = 0) as words`
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
