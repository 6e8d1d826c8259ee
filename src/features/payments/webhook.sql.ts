import type { Queries } from '../../db/database.ts'
import type { Store } from '../context.ts'

/** What the webhook has to know of a store: not even its name. */
export type WebhookStore = Pick<Store, 'id' | 'publicId' | 'paymentProvider'>

/** The store with what its provider must prove, in one statement: one hash, and more while credentials are rotated. */
export const findWebhookStore = (db: Queries, publicId: string, username: string) => db.maybeOne<
  WebhookStore & { secretHashes: string[] }
>`
  select s.id, s.public_id as "publicId", s.payment_provider as "paymentProvider", array(
    select c.secret_hash from webhook_credential c
    where c.store_id = s.id and c.kind = 'payment' and c.username = ${username}
      and (c.valid_until is null or c.valid_until > vitrine_now())) as "secretHashes"
  from store s
  where s.public_id = ${publicId}`
