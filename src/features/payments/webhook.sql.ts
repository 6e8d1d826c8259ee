import type { Queries } from '../../db/database.ts'
import type { Store } from '../context.ts'

/** What the webhook has to know of a store: not even its name. */
export type WebhookStore = Pick<Store, 'id' | 'publicId' | 'paymentProvider'>

/** The store with what its provider must prove, in one statement; `secretHash` is null for a name it does not know. */
export const findWebhookStore = (db: Queries, publicId: string, username: string) => db.maybeOne<
  WebhookStore & { secretHash: string | null }
>`
  select s.id, s.public_id as "publicId", s.payment_provider as "paymentProvider", c.secret_hash as "secretHash"
  from store s
  left join webhook_credential c on c.store_id = s.id and c.kind = 'payment' and c.username = ${username}
  where s.public_id = ${publicId}`
