import type { Queries } from '../../db/database.ts'
import type { SandboxLedger, SandboxState } from '../../providers/payment/sandbox.ts'

export const openSandboxPayment = (db: Queries, storeId: string, paymentId: string) => db.run`
  insert into sandbox_payment (store_id, payment_id, state, updated_at)
  select id, ${paymentId}, 'open', vitrine_now() from store where public_id = ${storeId}
  on conflict do nothing`

export const readSandboxState = async (db: Queries, storeId: string, paymentId: string) =>
  (
    await db.maybeOne<{ state: SandboxState }>`
    select p.state from sandbox_payment p join store s on s.id = p.store_id
    where s.public_id = ${storeId} and p.payment_id = ${paymentId}`
  )?.state ?? null

/** The statement checks the current state, so only one of two concurrent moves succeeds. */
export const moveSandboxPayment = (
  db: Queries,
  storeId: string,
  paymentId: string,
  from: readonly (SandboxState | null)[],
  to: SandboxState,
) => db.run`
  insert into sandbox_payment as p (store_id, payment_id, state, updated_at)
  select id, ${paymentId}, ${to}, vitrine_now() from store
  where public_id = ${storeId} and (${from.includes(null)}::boolean or exists (
    select from sandbox_payment known where known.store_id = store.id and known.payment_id = ${paymentId}))
  on conflict (store_id, payment_id) do update set state = excluded.state, updated_at = excluded.updated_at
  where p.state = any(${from.filter((state) => state !== null)}::text[])`

export const createSandboxLedger = (db: Queries): SandboxLedger => ({
  open: async (storeId, paymentId) => {
    await openSandboxPayment(db, storeId, paymentId)
  },
  read: (storeId, paymentId) => readSandboxState(db, storeId, paymentId),
  move: async (storeId, paymentId, from, to) => {
    const moved = await moveSandboxPayment(db, storeId, paymentId, from, to)
    return moved === 1 ? to : readSandboxState(db, storeId, paymentId)
  },
})
