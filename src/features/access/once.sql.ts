import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type AnswerKey = { storeId: StoreId; shopper: string; route: string; key: string }

/** What is there, or our claim. A claim without an answer is our own: others become visible with theirs. */
export const claimAnswer = <Kept>(tx: Tx, place: AnswerKey, bodyHash: string, keptForMs: number) => tx.one<{
  bodyHash: string
  answer: Kept | null
}>`
  insert into kept_answer as kept (store_id, shopper, route, key, body_hash, created_at)
  values (${place.storeId}, ${place.shopper}, ${place.route}, ${place.key}, ${bodyHash}, vitrine_now())
  on conflict (store_id, shopper, route, key) do update set
    (body_hash, answer, created_at) = (
      select case when over then excluded.body_hash else kept.body_hash end,
        case when over then null else kept.answer end,
        case when over then excluded.created_at else kept.created_at end
      from (select kept.created_at <= vitrine_now() - ${keptForMs} * interval '1 millisecond' as over) as age
    )
  returning body_hash as "bodyHash", answer`

export const keepAnswer = (db: Queries, place: AnswerKey, answer: unknown) => db.run`
  update kept_answer set answer = ${JSON.stringify(answer)}
  where store_id = ${place.storeId} and shopper = ${place.shopper} and route = ${place.route} and key = ${place.key}`

/** Forgets the oldest keys of a shopper who has used more than that, and never the one of this call. */
export const trimAnswers = (tx: Tx, { storeId, shopper, route, key }: AnswerKey, most: number) => tx.run`
  delete from kept_answer where store_id = ${storeId} and shopper = ${shopper} and ctid = any(array(
    select ctid from kept_answer
    where store_id = ${storeId} and shopper = ${shopper} and (route, key) <> (${route}, ${key}) and created_at <= (
      select created_at from kept_answer where store_id = ${storeId} and shopper = ${shopper}
      order by created_at desc offset ${most} limit 1)
    for update skip locked))`
