import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import type { StoreId } from '../context.ts'
import { type EventType, testEventType } from './events.contract.ts'
import {
  insertEvent,
  insertEvents,
  insertMail,
  insertTestEvent,
  lockRecipient,
  type NewMail,
  type Queued,
  type Snapshot,
  secondsToNextMail,
} from './events.sql.ts'
import { laneOf, mailJobNames } from './messages.ts'

/** `sequence` is the number of this event among those of its subject, which counts them in `event_count`. */
export type RecordedEvent = { type: EventType; subject: string; sequence: number }

/**
 * Records what this transaction does, with the state at its end: the statement is sent with the commit, so it takes no
 * round trip (decision 0037).
 */
export const recordEvents = (tx: Tx, store: { id: StoreId }, events: readonly RecordedEvent[], snapshot: Snapshot) => {
  if (events.length === 0) return
  tx.withCommit(async () => {
    const named = events.map((event) => ({ id: newId('evt'), ...event }))
    signalQueued(tx, store, await insertEvents(tx, store.id, named, snapshot))
    return named.length
  })
}

/** Records one event with the state of its subject as given. `hasRecipient`: a mail about it has a reader. */
export const recordEvent = (
  tx: Tx,
  store: { id: StoreId },
  event: RecordedEvent,
  data: Readonly<Record<string, unknown>>,
  hasRecipient: boolean,
) =>
  tx.withCommit(async () => {
    signalQueued(tx, store, await insertEvent(tx, store.id, { id: newId('evt'), ...event }, data, hasRecipient))
    return 1
  })

const signalQueued = (tx: Tx, store: { id: StoreId }, queued: readonly Queued[]) => {
  if (queued.some(({ kind }) => kind === 'delivery')) tx.signal('webhook', store.id)
  if (queued.some(({ kind }) => kind === 'mail')) tx.signal(mailJobNames.order, store.id)
}

/** Queues a mail that tells of no event. It is sent after the commit. */
export const queueMail = async (tx: Tx, store: { id: StoreId }, mail: Omit<NewMail, 'id'>): Promise<string> => {
  const id = newId('mail')
  const lane = laneOf(mail.message)
  await insertMail(tx, store.id, lane, { id, ...mail })
  tx.signal(mailJobNames[lane], store.id)
  return id
}

/**
 * Queues a mail unless its address has got `maxPerHour` of the same kind in the last hour, from any instance. Returns the
 * seconds until another may be sent, or null if it was queued.
 */
export const queueLimitedMail = async (
  tx: Tx,
  store: { id: StoreId },
  mail: Omit<NewMail, 'id'>,
  maxPerHour: number,
): Promise<number | null> => {
  const [, seconds] = await pipeline(
    lockRecipient(tx, store.id, mail.recipient),
    secondsToNextMail(tx, store.id, mail, maxPerHour),
  )
  if (seconds !== undefined) return seconds
  await queueMail(tx, store, mail)
  return null
}

/** What a sealed code is bound to: copied to the mail of another store or recipient, it does not open. */
export const mailSealContext = (store: { id: StoreId }, recipient: string) => `${store.id}.${recipient}`

/** Records an event that tells of nothing, without deliveries. Returns its id. */
export const recordTestEvent = async (
  tx: Tx,
  store: { id: StoreId },
  data: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const id = newId('evt')
  await insertTestEvent(tx, store.id, { id, type: testEventType, data })
  return id
}
