import type { Queries, Tx } from '../../db/database.ts'
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

/** The words of a sample, as the listing has them: with the outlet and a mark in front (see `wordQuery`). */
const entriesOf = (outlet: OutletRef, step: number) => {
  const here = sql`l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId}`
  const markAt = String(outlet.outletId).length + 1
  return sql`
    select s.seq, substr(e.entry, ${markAt}, 1) as mark, substr(e.entry, ${markAt + 1}) as word
    from (
      select l.seq, l.words
      from (select l.seq, row_number() over (order by l.seq) as number from listing l where ${here}) listed
      cross join ${byKey(sql`select * from listing l where ${here} and l.seq = listed.seq`)} l
      where listed.number % ${step} = 0) s
    cross join unnest(tsvector_to_array(s.words)) as e (entry)`
}

const counts = sql`count(*) filter (where mark = '~')::integer as products,
  count(*) filter (where mark = '^')::integer as named`

export const countWords = (db: Queries, outlet: OutletRef, { step, minProducts }: Sample) => db.many<WordCount>`
  select word, ${counts} from (${entriesOf(outlet, step)}) e where mark in ('~', '^')
  group by word having count(*) filter (where mark = '~') >= ${minProducts}`

/** Shorter beginnings are not searched, longer ones begin few words. */
const beginningLengths = [2, 3, 4, 5, 6]

/** The same for beginnings of words, which are kept with a `*` behind. */
export const countBeginnings = (db: Queries, outlet: OutletRef, { step, minProducts }: Sample) => db.many<WordCount>`
  select beginning || '*' as word, ${counts}
  from (
    select distinct e.seq, e.mark, left(e.word, begun.length) as beginning
    from (${entriesOf(outlet, step)}) e cross join unnest(${beginningLengths}::integer[]) as begun (length)
    where e.mark in ('~', '^') and length(e.word) >= begun.length) b
  group by beginning having count(*) filter (where mark = '~') >= ${minProducts}`

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
