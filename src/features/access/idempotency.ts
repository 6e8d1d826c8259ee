import { hash } from 'node:crypto'
import { hours } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { always, type Fragment } from '../../db/sql.ts'
import type { Answer } from '../../http/endpoint.ts'
import type { AdminCtx, Guest, Shopper, ShopperCtx } from '../context.ts'
import { type AnswerKey, claimAnswer, storeAnswer, trimAnswers } from './idempotency.sql.ts'
import { nameShopper } from './shopper.ts'

export { storeAnswer }

export const keyTtlMs = hours(24)

/** Max idempotency keys stored per shopper. The oldest are deleted first (decision 0022). */
export const maxKeysPerShopper = 100

/** Max idempotency keys stored per store. A job deletes the surplus. */
export const maxKeysPerStore = 100_000

/** A call that creates something. */
export type CreatingCall<Body> = {
  /** The operation's name. */
  route: string
  /** The body and the ids in the path, hashed to detect a reused key. */
  request: unknown
  write(tx: Tx): Promise<Answer<Body>>
  /** Does the same in one statement, or nothing and returns undefined (see `quickTx`). */
  writeQuickly?: ((db: Queries, condition: Fragment) => Promise<Answer<Body> | undefined>) | undefined
  /** The id of the created or changed object, stored instead of the answer. */
  refer(body: Body): string
  /** Answers a repeated call with the current state of that object. */
  readAgain(tx: Tx, ref: string): Promise<Answer<Body>>
}

/** Earlier versions stored whole answers, which are returned unchanged. */
type StoredAnswer<Body> = { ref: string; status?: 200 | 201 } | Answer<Body>

/**
 * Runs a write in a transaction, and with an `Idempotency-Key` at most once: the reference to its result is stored in
 * the same transaction, and a repeated call reads it. Of two concurrent calls the second waits for the first. Errors are
 * not stored, because the rollback also removes the claim.
 */
export const writeOnce = <Body>(ctx: ShopperCtx, call: CreatingCall<Body>): Promise<Answer<Body>> =>
  writeOnceFor(isNewGuest(ctx.shopper) ? null : nameShopper(ctx.shopper), ctx, call)

/** The same for staff and programs. */
export const writeOnceByAuthor = <Body>(ctx: AdminCtx, call: CreatingCall<Body>): Promise<Answer<Body>> =>
  writeOnceFor(`${ctx.by.actor.kind} ${ctx.by.actor.id}`, ctx, call)

/** `caller` is null if nobody can repeat the call. */
const writeOnceFor = <Body>(
  caller: string | null,
  { db, store, idempotencyKey: key }: Pick<ShopperCtx, 'db' | 'store' | 'idempotencyKey'>,
  call: CreatingCall<Body>,
): Promise<Answer<Body>> => {
  if (key === null || caller === null) {
    const { writeQuickly, write } = call
    return writeQuickly === undefined ? db.tx(write) : db.quickTx(writeQuickly, write)
  }
  return db.tx(async (tx) => {
    const answerKey: AnswerKey = { storeId: store.id, shopper: caller, route: call.route, key }
    const stored = await claimKey<StoredAnswer<Body>>(tx, answerKey, hashRequest(call.request))
    if (stored === null) {
      const answer = (await call.writeQuickly?.(tx, always)) ?? (await call.write(tx))
      const ref = call.refer(answer.body)
      tx.withCommit(() =>
        storeAnswer(tx, answerKey, answer.status === undefined ? { ref } : { ref, status: answer.status }),
      )
      return answer
    }
    if ('body' in stored) return stored
    const again = await call.readAgain(tx, stored.ref)
    return stored.status === undefined ? again : { ...again, status: stored.status }
  })
}

export const answerKeyOf = (ctx: ShopperCtx, route: string, key: string): AnswerKey => ({
  storeId: ctx.store.id,
  shopper: nameShopper(ctx.shopper),
  route,
  key,
})

export const hashRequest = (request: unknown) => hash('sha256', JSON.stringify(request), 'base64url')

/** The stored answer of an earlier call with this key. Null: this is the first call, and it has claimed the key. */
export const claimKey = async <Stored>(tx: Tx, id: AnswerKey, bodyHash: string): Promise<Stored | null> => {
  const claim = await claimAnswer<Stored>(tx, id, bodyHash, keyTtlMs)
  if (claim.bodyHash !== bodyHash)
    throw fail('CONFLICT', 'This Idempotency-Key was already used for a different request.')
  if (claim.answer === null) tx.withCommit(() => trimAnswers(tx, id, maxKeysPerShopper))
  return claim.answer
}

/** A guest created by this call. Its retry has no guest token yet, so it cannot be matched to this guest. */
export const isNewGuest = (shopper: Shopper): shopper is Guest & { isNew: true } =>
  shopper.kind === 'guest' && shopper.isNew
