import { refuse } from '../../core/domain-errors.ts'
import type { Queries } from '../../db/database.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import { MalformedEvent, type PaymentEvent, type WebhookCall } from '../../providers/payment/provider.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Store } from '../context.ts'
import { type InboxEvent, listEvents, readEvent } from './inbox.sql.ts'
import { openAccount, type PaymentCtx, type PaymentServices } from './providers.ts'
import { replayReport, type Settlement } from './settlement.ts'

export type { InboxEvent } from './inbox.sql.ts'

export type InboxFilter = { orderId: string | null; outcome: string | null; limit: number }

export const listInbox = (db: Queries, store: Pick<Store, 'id'>, filter: InboxFilter) =>
  listEvents(db, store.id, filter)

/** Applies a stored event again, after an operator has fixed the cause of its failure. */
export const replayEvent = async (services: PaymentServices, id: number): Promise<InboxEvent> => {
  const event = await readEvent(services.db, id)
  const store = event && (await findStoreByPublicId(services.db, event.storeId))
  if (!event || !store) throw refuse('EVENT_NOT_FOUND', { eventId: id })
  await replay({ ...services, store }, event)
  return (await readEvent(services.db, id)) ?? event
}

const replay = async (ctx: PaymentCtx, event: InboxEvent): Promise<Settlement> => {
  const { id, source, body } = event
  return replayReport(ctx, id, { ...(await readAgain(ctx, event)), source, body })
}

/** Parses the body in the format of its provider, or in the neutral format. */
const readAgain = async (ctx: PaymentCtx, { id, source, body }: InboxEvent): Promise<PaymentEvent> => {
  try {
    if (!ctx.payments.providers.has(source)) return readNeutralEvent(body)
    const { provider, account } = await openAccount(ctx, source)
    const { readWebhook } = provider
    return readWebhook === null ? readNeutralEvent(body) : readWebhook(account, replayCall(body))
  } catch (error) {
    if (!(error instanceof MalformedEvent)) throw error
    throw refuse('EVENT_MALFORMED', { eventId: id, reason: error.message }, { cause: error })
  }
}

/** The inbox stores only the body, not the headers. */
const replayCall = (body: unknown): WebhookCall => ({ headers: {}, rawBody: Buffer.from(JSON.stringify(body)), body })
