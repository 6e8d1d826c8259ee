import { refuse } from '../../core/domain-errors.ts'
import { readNeutralEvent } from '../../providers/payment/neutral-event.ts'
import {
  MalformedEvent,
  type PaymentEvent,
  type PaymentNames,
  type WebhookCall,
} from '../../providers/payment/provider.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { commandLine, compareFields, recordChange } from '../audit/record.ts'
import type { Author } from '../context.ts'
import type { ProviderCallCtx } from './call-provider.ts'
import { type InboxEvent, listMismatches, listWaitingEvents, type PaymentOutcome, readEvent } from './inbox.sql.ts'
import type { PaymentServices, SettlementCtx } from './providers.ts'
import { findOrderId, replayReport, type Settlement } from './settlement.ts'

export type { InboxEvent } from './inbox.sql.ts'

/** Applies a stored event again, after an operator has fixed the cause of its failure. */
export const replayEvent = async (
  services: PaymentServices,
  id: number,
  { by = commandLine, storeId }: { by?: Author; storeId?: string } = {},
): Promise<InboxEvent> => {
  const event = await readEvent(services.db, id)
  if (event !== undefined && storeId !== undefined && event.storeId !== storeId) {
    throw refuse('EVENT_NOT_FOUND', { eventId: id })
  }
  const store = event && (await findStoreByPublicId(services.db, event.storeId))
  if (!event || !store) throw refuse('EVENT_NOT_FOUND', { eventId: id })
  await replay({ ...services, store }, event)
  const replayed = (await readEvent(services.db, id)) ?? event
  await services.db.tx(async (tx) =>
    recordChange(tx, store, by, {
      ...{ action: 'payment_event.replayed', id: String(id) },
      changes: compareFields({ outcome: event.outcome }, { outcome: replayed.outcome }),
    }),
  )
  return replayed
}

/**
 * Webhooks arrive in any order. A refund or dispute that came before the report of its payment waits in the inbox and is
 * applied once the payment is known. Called after either of the two is committed, so that one of the calls sees both.
 */
export const applyWaitingEvents = async (ctx: ReplayCtx, { names, outcome }: KnownOrWaiting): Promise<void> => {
  if (names.transaction === null) return
  if (outcome === 'unknown_order' && (await findOrderId(ctx, names)) === null) return
  for (const event of await listWaitingEvents(ctx.db, ctx.store.id, names.transaction)) await replay(ctx, event)
}

/** A failed refund frees its amount, so a refund that was made at the provider and did not fit may fit now. */
export const applyMismatches = async (ctx: ReplayCtx, orderId: string): Promise<void> => {
  for (const event of await listMismatches(ctx.db, ctx.store.id, orderId)) await replay(ctx, event)
}

type KnownOrWaiting = { names: PaymentNames; outcome: PaymentOutcome }
type ReplayCtx = SettlementCtx & ProviderCallCtx

const replay = async (ctx: ReplayCtx, event: InboxEvent): Promise<Settlement> => {
  const { id, source, body } = event
  return replayReport(ctx, id, { ...(await readAgain(ctx, event)), source, body })
}

/** Parses the body in the format of its provider, or in the neutral format. */
const readAgain = async (ctx: ReplayCtx, { id, source, body }: InboxEvent): Promise<PaymentEvent> => {
  try {
    const webhook = ctx.payments.providers.get(source)?.webhook
    return webhook ? webhook.read(replayCall(body)) : readNeutralEvent(body)
  } catch (error) {
    if (!(error instanceof MalformedEvent)) throw error
    throw refuse('EVENT_MALFORMED', { eventId: id, reason: error.message }, { cause: error })
  }
}

/** The inbox stores only the body, not the headers. */
const replayCall = (body: unknown): WebhookCall => ({ headers: {}, rawBody: Buffer.from(JSON.stringify(body)), body })
