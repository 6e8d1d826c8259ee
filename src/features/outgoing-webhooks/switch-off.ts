import type { Db } from '../../db/database.ts'
import type { OutgoingWebhooks, Store } from '../context.ts'
import { queueMail } from '../events/record.ts'
import { disableEndpoint } from './endpoints.sql.ts'
import { endDeliveries } from './switch-off.sql.ts'

/**
 * Switches off an endpoint that has answered 410, or that has failed for three days, and tells the store by mail. The
 * first thousand waiting deliveries end here, the rest by a job.
 */
export const switchOff = async (
  { db, webhooks }: { db: Db; webhooks: Pick<OutgoingWebhooks, 'onSwitchedOff' | 'onEnded'> },
  store: Pick<Store, 'id' | 'publicId' | 'contact'>,
  endpointId: string,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const ended = await db.tx(async (tx) => {
    const disabled = await disableEndpoint(tx, store.id, endpointId, reason)
    if (disabled === undefined) return null
    if (store.contact.email !== '') {
      const about = { data: { endpointId, url: disabled.url, reason }, language: null, sealed: null }
      await queueMail(tx, store, { message: 'webhook.disabled', recipient: store.contact.email, ...about })
    }
    return endDeliveries(tx, store.id)
  })
  if (ended === null) return
  webhooks.onSwitchedOff({ storeId: store.publicId, endpointId, reason })
  for (const one of ended) webhooks.onEnded(one)
}
