import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

export type AnswerKey = { storeId: StoreId; shopper: string; route: string; key: string }

/**
 * Inserts a claim, or returns the existing row. A null answer means that this transaction made the claim: claims of
 * others become visible together with their answers.
 */
export const claimAnswer = <Stored>(tx: Tx, id: AnswerKey, bodyHash: string, ttlMs: number) => tx.one<{
  bodyHash: string
  answer: Stored | null
}>`
  insert into kept_answer as kept (store_id, shopper, route, key, body_hash, created_at)
  values (${id.storeId}, ${id.shopper}, ${id.route}, ${id.key}, ${bodyHash}, vitrine_now())
  on conflict (store_id, shopper, route, key) do update set
    body_hash = case when ${isExpired(ttlMs)} then excluded.body_hash else kept.body_hash end,
    answer = case when ${isExpired(ttlMs)} then null else kept.answer end,
    created_at = case when ${isExpired(ttlMs)} then excluded.created_at else kept.created_at end
  returning body_hash as "bodyHash", answer`

const isExpired = (ttlMs: number) => sql`excluded.created_at - kept.created_at >= ${ttlMs} * interval '1 millisecond'`

/** A condition: an earlier call with this key has an answer, which may have expired. */
export const isAnswered = (id: AnswerKey) => sql`exists (
  select from kept_answer k
  where k.store_id = ${id.storeId} and k.shopper = ${id.shopper} and k.route = ${id.route} and k.key = ${id.key})`

export const storeAnswer = (db: Queries, id: AnswerKey, answer: unknown) => db.run`
  update kept_answer set answer = ${JSON.stringify(answer)}
  where store_id = ${id.storeId} and shopper = ${id.shopper} and route = ${id.route} and key = ${id.key}`

/** Deletes the oldest keys of a shopper beyond `max`, but never the key of this call. */
export const trimAnswers = (tx: Tx, { storeId, shopper, route, key }: AnswerKey, max: number) => tx.run`
  delete from kept_answer where store_id = ${storeId} and shopper = ${shopper} and ctid = any(array(
    select ctid from kept_answer
    where store_id = ${storeId} and shopper = ${shopper} and (route, key) <> (${route}, ${key}) and created_at <= (
      select created_at from kept_answer where store_id = ${storeId} and shopper = ${shopper}
      order by created_at desc offset ${max} limit 1)
    for update skip locked))`
