import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/** Binds a code to the client that requested it, by the address and the hash of the request token. */
export type Binding = { address: string; tokenHash: string }

export const bindCode = (
  tx: Tx,
  storeId: StoreId,
  code: Binding & { codeHash: string; ttlMs: number; attempts: number },
) => tx.run`
  insert into otp_request (store_id, phone, token_hash, code_hash, attempts_left, expires_at, forget_at)
  values (${storeId}, ${code.address}, ${code.tokenHash}, ${code.codeHash}, ${code.attempts},
    vitrine_now() + ${code.ttlMs} * interval '1 millisecond',
    vitrine_now() + ${code.ttlMs} * interval '1 millisecond')`

export const unbindCode = (tx: Tx, storeId: StoreId, { address, tokenHash }: Binding) => tx.run`
  delete from otp_request where store_id = ${storeId} and phone = ${address} and token_hash = ${tokenHash}`

/**
 * Spends an attempt of a bound code and returns the hash to compare with. `codeHash` is null when the code is expired,
 * used or out of attempts; no row for an unknown token. Runs outside a transaction, so that the attempt stays spent
 * when a later step fails.
 */
export const spendBoundAttempt = (db: Queries, storeId: StoreId, { address, tokenHash }: Binding) => db.maybeOne<{
  codeHash: string | null
}>`
  with spent as (
    update otp_request set attempts_left = attempts_left - 1
    where store_id = ${storeId} and phone = ${address} and token_hash = ${tokenHash} and code_hash is not null
      and attempts_left > 0 and expires_at > vitrine_now()
    returning code_hash)
  select (select code_hash from spent) as "codeHash" from otp_request
  where store_id = ${storeId} and phone = ${address} and token_hash = ${tokenHash}`

/** Only the first caller gets a row. From then on the token proves its holder at later requests. */
export const consumeBoundCode = (
  tx: Tx,
  storeId: StoreId,
  { address, tokenHash, codeHash }: Binding & { codeHash: string },
  proofTtlMs: number,
) => tx.maybeOne<{ used: true }>`
  update otp_request set code_hash = null, proven = true,
    forget_at = vitrine_now() + ${proofTtlMs} * interval '1 millisecond'
  where store_id = ${storeId} and phone = ${address} and token_hash = ${tokenHash} and code_hash = ${codeHash}
  returning true as used`

/** The code was used without its token. The token then proves nothing, since anyone could have requested the code. */
export const endBoundCode = (tx: Tx, storeId: StoreId, address: string, codeHash: string) => tx.run`
  update otp_request set code_hash = null
  where store_id = ${storeId} and phone = ${address} and code_hash = ${codeHash}`

export const isProven = async (db: Queries, storeId: StoreId, { address, tokenHash }: Binding) =>
  (
    await db.one<{ proven: boolean }>`
    select exists (
      select from otp_request
      where store_id = ${storeId} and phone = ${address} and token_hash = ${tokenHash} and proven
        and forget_at > vitrine_now()
    ) as proven`
  ).proven
