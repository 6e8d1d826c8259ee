import type { Queries } from '../../db/database.ts'
import type { SandboxLedger, SandboxState } from '../../providers/payment/sandbox.ts'
import { findStoreId } from '../access/access.sql.ts'
import type { StoreId } from '../context.ts'

export const openSandboxPayment = (db: Queries, storeId: StoreId, paymentId: string) => db.run`
  insert into sandbox_payment (store_id, payment_id, state, updated_at)
  values (${storeId}, ${paymentId}, 'open', vitrine_now())
  on conflict do nothing`

export const readSandboxState = async (db: Queries, storeId: StoreId, paymentId: string) =>
  (
    await db.maybeOne<{ state: SandboxState }>`
    select p.state from sandbox_payment p where p.store_id = ${storeId} and p.payment_id = ${paymentId}`
  )?.state ?? null

/** The statement checks the current state, so only one of two concurrent moves succeeds. */
export const moveSandboxPayment = (
  db: Queries,
  storeId: StoreId,
  paymentId: string,
  from: readonly SandboxState[],
  to: SandboxState,
) => db.run`
  update sandbox_payment set state = ${to}, updated_at = vitrine_now()
  where store_id = ${storeId} and payment_id = ${paymentId} and state = any(${from}::text[])`

/** The same for a payment that may be unknown. */
export const setSandboxPayment = (
  db: Queries,
  storeId: StoreId,
  paymentId: string,
  from: readonly SandboxState[],
  to: SandboxState,
) => db.run`
  insert into sandbox_payment as p (store_id, payment_id, state, updated_at)
  values (${storeId}, ${paymentId}, ${to}, vitrine_now())
  on conflict (store_id, payment_id) do update set state = excluded.state, updated_at = excluded.updated_at
  where p.state = any(${from}::text[])`

/** Providers know a store by its public id, which never changes. */
export const createSandboxLedger = (db: Queries): SandboxLedger => {
  const known = new Map<string, StoreId>()
  const numberOf = async (publicId: string) => {
    const found = known.get(publicId) ?? (await findStoreId(db, publicId))
    if (found !== undefined) known.set(publicId, found)
    return found
  }
  return {
    open: async (publicId, paymentId) => {
      const storeId = await numberOf(publicId)
      if (storeId !== undefined) await openSandboxPayment(db, storeId, paymentId)
    },
    read: async (publicId, paymentId) => {
      const storeId = await numberOf(publicId)
      return storeId === undefined ? null : readSandboxState(db, storeId, paymentId)
    },
    move: async (publicId, paymentId, from, to) => {
      const storeId = await numberOf(publicId)
      if (storeId === undefined) return null
      const states = from.filter((state) => state !== null)
      const move = from.includes(null) ? setSandboxPayment : moveSandboxPayment
      const moved = await move(db, storeId, paymentId, states, to)
      return moved === 1 ? to : readSandboxState(db, storeId, paymentId)
    },
  }
}
