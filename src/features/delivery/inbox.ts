import { refuse } from '../../core/domain-errors.ts'
import { Failure } from '../../core/errors.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { commandLine, compareFields, recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { countEvents, type InboxEvent, listEvents } from '../payments/inbox.sql.ts'
import { replayEvent } from '../payments/inbox.ts'
import type { PaymentServices } from '../payments/providers.ts'
import { applyClaimed } from './carrier.ts'
import { type DeliveryUpdate, readCarrierEvent } from './carrier-event.ts'
import * as sql from './inbox.sql.ts'
import { readParcelEvent } from './parcel-events.ts'

/** An event of a payment provider or a carrier. Their numbers are from one sequence. */
export type ReceivedEvent = Omit<InboxEvent, 'source' | 'outcome'> & {
  kind: 'payment' | 'delivery'
  source: string
  outcome: string
}

export type ReceivedFilter = { kind: ReceivedEvent['kind'] | null; orderId: string | null; outcome: string | null }

/** Newest first. */
export const listReceived = async (
  db: PaymentServices['db'],
  { id }: Pick<Store, 'id'>,
  { kind, ...filter }: ReceivedFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<ReceivedEvent[]> => {
  const payments = kind === 'delivery' ? [] : await listEvents(db, id, { ...filter, before, limit })
  const deliveries = kind === 'payment' ? [] : await sql.listDeliveryEvents(db, id, filter, { before, limit })
  return [...payments.map(ofPayment), ...deliveries.map(ofDelivery)].sort((a, b) => b.id - a.id).slice(0, limit)
}

export const countReceived = async (
  db: PaymentServices['db'],
  { id }: Pick<Store, 'id'>,
  { kind, ...filter }: ReceivedFilter,
  limit: number,
): Promise<number> => {
  const payments = kind === 'delivery' ? 0 : await countEvents(db, id, filter, limit)
  const deliveries = kind === 'payment' ? 0 : await sql.countDeliveryEvents(db, id, filter, limit)
  return Math.min(payments + deliveries, limit)
}

const ofPayment = (event: InboxEvent): ReceivedEvent => ({ ...event, kind: 'payment' })

const ofDelivery = (event: sql.DeliveryInboxEvent): ReceivedEvent => ({ ...event, kind: 'delivery', detail: '' })

/** Applies a stored event again, after its order or its shipment was made or corrected. */
export const replayReceived = async (
  services: PaymentServices,
  id: number,
  { by = commandLine, storeId }: { by?: Author; storeId?: string } = {},
): Promise<ReceivedEvent> => {
  const event = await sql.readDeliveryEvent(services.db, id)
  if (event === undefined) {
    return ofPayment(await replayEvent(services, id, { by, ...(storeId === undefined ? {} : { storeId }) }))
  }
  const store = await findStoreByPublicId(services.db, event.storeId)
  if (store === undefined || (storeId !== undefined && event.storeId !== storeId)) {
    throw refuse('EVENT_NOT_FOUND', { eventId: id })
  }
  const update = readAgain(event)
  const outcome = await services.db.tx(async (tx) => {
    await sql.lockDeliveryEvent(tx, store.id, id)
    const applied = await applyClaimed(tx, { store }, update)
    const changes = compareFields({ outcome: event.outcome }, { outcome: applied.outcome })
    recordChange(tx, store, by, { action: 'delivery_event.replayed', id: String(id), changes })
    return applied.outcome
  })
  return ofDelivery({ ...event, ...(await sql.readDeliveryEvent(services.db, id)), outcome })
}

/** An event without a time of its own happened when it was received. */
const readAgain = ({ id, source, body, receivedAt }: sql.DeliveryInboxEvent): DeliveryUpdate => {
  const malformed = (reason: string) => refuse('EVENT_MALFORMED', { eventId: id, reason })
  if (typeof body === 'string') throw malformed('its body was erased.')
  try {
    const update =
      source === 'carrier' ? readCarrierEvent(body, receivedAt.getTime()) : readParcelEvent(body, receivedAt.getTime())
    if (update === null) throw malformed('it is not about a parcel.')
    return update
  } catch (error) {
    throw error instanceof Failure ? malformed(error.message) : error
  }
}
