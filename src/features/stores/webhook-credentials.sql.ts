import type { Queries, Tx } from '../../db/database.ts'
import type { Store, StoreId } from '../context.ts'

/** The fields of a store that the payment webhook needs. */
export type WebhookStore = Pick<Store, 'id' | 'publicId' | 'paymentProvider'>

/** The store with the hashes of its valid passwords: one, or several during a rotation. */
export const findWebhookStore = (db: Queries, publicId: string, username: string) => db.maybeOne<
  WebhookStore & { secretHashes: string[] }
>`
  select s.id, s.public_id as "publicId", s.payment_provider as "paymentProvider", array(
    select c.secret_hash from webhook_credential c
    where c.store_id = s.id and c.kind = 'payment' and c.username = ${username}
      and (c.valid_until is null or c.valid_until > vitrine_now())) as "secretHashes"
  from store s
  where s.public_id = ${publicId}`

/** The key identifies the store: its hash is unique among logistics keys. */
export const findStoreByLogisticsKey = async (db: Queries, secretHash: string) =>
  (
    await db.maybeOne<{ publicId: string }>`
    select s.public_id as "publicId" from webhook_credential c join store s on s.id = c.store_id
    where c.kind = 'logistics' and c.secret_hash = ${secretHash}
      and (c.valid_until is null or c.valid_until > vitrine_now())`
  )?.publicId

export type WebhookCredential = { kind: 'payment' | 'logistics'; username: string; secretHash: string }

export const insertWebhookCredential = (tx: Tx, storeId: StoreId, credential: WebhookCredential) => tx.run`
  insert into webhook_credential (store_id, kind, username, secret_hash)
  values (${storeId}, ${credential.kind}, ${credential.username}, ${credential.secretHash})`

/** Expires all valid credentials after `overlapMs`, or at their earlier expiry. Returns the current one. */
export const endWebhookCredentials = (
  tx: Tx,
  storeId: StoreId,
  kind: WebhookCredential['kind'],
  overlapMs: number,
) => tx.maybeOne<{ username: string; validUntil: Date }>`
  with ended as (
    update webhook_credential c
    set valid_until = least(c.valid_until, vitrine_now() + ${overlapMs}::bigint * interval '1 millisecond')
    from webhook_credential old
    where c.store_id = ${storeId} and c.kind = ${kind} and old.store_id = c.store_id and old.kind = c.kind
      and old.secret_hash = c.secret_hash
    returning c.username, c.valid_until, old.valid_until is null as was_current)
  select username, valid_until as "validUntil" from ended where was_current`

export const dropEndedCredentials = (tx: Tx, storeId: StoreId, kind: WebhookCredential['kind']) => tx.run`
  delete from webhook_credential
  where store_id = ${storeId} and kind = ${kind} and valid_until <= vitrine_now()`
