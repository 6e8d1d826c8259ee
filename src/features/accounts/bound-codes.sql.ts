import type { Db, Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** A code as it is bound to whoever asked for it: by the phone and the hash of the token in the answer. */
export type Binding = { phone: string; tokenHash: string }

export const bindCode = (
  tx: Tx,
  storeId: StoreId,
  code: Binding & { codeHash: string; lifeMs: number; attempts: number },
) => tx.run`
  insert into otp_request (store_id, phone, token_hash, code_hash, attempts_left, expires_at, forget_at)
  values (${storeId}, ${code.phone}, ${code.tokenHash}, ${code.codeHash}, ${code.attempts},
    vitrine_now() + ${code.lifeMs} * interval '1 millisecond',
    vitrine_now() + ${code.lifeMs} * interval '1 millisecond')`

export const unbindCode = (tx: Tx, storeId: StoreId, { phone, tokenHash }: Binding) => tx.run`
  delete from otp_request where store_id = ${storeId} and phone = ${phone} and token_hash = ${tokenHash}`

/**
 * Spends an attempt of a bound code and hands out what to compare with: null when it is expired, used or used up, and
 * nothing at all for a token that is unknown. Asked of the database and not of a transaction: an attempt stays spent
 * whatever happens next.
 */
export const spendBoundAttempt = (db: Db, storeId: StoreId, { phone, tokenHash }: Binding) => db.maybeOne<{
  codeHash: string | null
}>`
  with spent as (
    update otp_request set attempts_left = attempts_left - 1
    where store_id = ${storeId} and phone = ${phone} and token_hash = ${tokenHash} and code_hash is not null
      and attempts_left > 0 and expires_at > vitrine_now()
    returning code_hash)
  select (select code_hash from spent) as "codeHash" from otp_request
  where store_id = ${storeId} and phone = ${phone} and token_hash = ${tokenHash}`

/** Undefined for all but the first to use the code. The token proves its holder from then on. */
export const useUpBoundCode = (
  tx: Tx,
  storeId: StoreId,
  { phone, tokenHash, codeHash }: Binding & { codeHash: string },
  proofLifeMs: number,
) => tx.maybeOne<{ used: true }>`
  update otp_request set code_hash = null, proven = true,
    forget_at = vitrine_now() + ${proofLifeMs} * interval '1 millisecond'
  where store_id = ${storeId} and phone = ${phone} and token_hash = ${tokenHash} and code_hash = ${codeHash}
  returning true as used`

/** After the code was used without its token, which then proves nothing: a stranger may have asked for it. */
export const endBoundCode = (tx: Tx, storeId: StoreId, phone: string, codeHash: string) => tx.run`
  update otp_request set code_hash = null
  where store_id = ${storeId} and phone = ${phone} and code_hash = ${codeHash}`

export const isProven = async (db: Queries, storeId: StoreId, { phone, tokenHash }: Binding) =>
  (
    await db.one<{ proven: boolean }>`
    select exists (
      select from otp_request
      where store_id = ${storeId} and phone = ${phone} and token_hash = ${tokenHash} and proven
        and forget_at > vitrine_now()
    ) as proven`
  ).proven
