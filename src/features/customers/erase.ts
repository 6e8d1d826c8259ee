import { minutes, seconds } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { eraseAll, nameForms, phoneForms, toPersonalValues } from '../../core/erased.ts'
import { toFields } from '../../core/fields.ts'
import type { Db, Tx } from '../../db/database.ts'
import { deleteAnswers } from '../access/guests.sql.ts'
import { listAllAddresses } from '../accounts/addresses.ts'
import { eraseCustomerEvent, recordCustomerEvent } from '../accounts/customer-events.ts'
import {
  deleteAddresses,
  deleteCodeRequests,
  deleteCodes,
  deleteFailures,
  eraseCustomer,
} from '../accounts/erase.sql.ts'
import { deleteMailTokens } from '../accounts/mail-tokens.sql.ts'
import { deleteSessions } from '../accounts/sessions.sql.ts'
import { type HeldCustomer, holdCustomer } from '../accounts/staff-changes.sql.ts'
import { listAuditToErase } from '../audit/erase.sql.ts'
import { recordChange } from '../audit/record.ts'
import { emptyCartOf } from '../cart/erase.sql.ts'
import { lockCustomerCart } from '../cart/for-checkout.sql.ts'
import type { Author, Store, StoreId } from '../context.ts'
import { eraseUnmatchedDeliveryEvents } from '../delivery/erase.sql.ts'
import { listEventsToErase } from '../events/erase.sql.ts'
import { eraseMailTo } from '../mail/erase.sql.ts'
import { listUnfinishedOrders } from '../orders/erase.sql.ts'
import { eraseUnmatchedPaymentEvents } from '../payments/erase.sql.ts'
import { listOrdersBeingReturned } from '../returns/erase.sql.ts'
import { deleteWishlistOf } from '../wishlist/erase.sql.ts'
import { deleteNotes } from './customers.sql.ts'
import * as sql from './erase.sql.ts'
import { eraseAudit, eraseEvents, eraseNextOrders, eraseNextTraces } from './erase-orders.ts'

export const erasureJob = 'erasure'

/** How long a request works on an erasure before a job goes on with it. */
const requestMs = seconds(10)

/** What was under way when the account ended, such as a mail or a delivery, is over by then. */
const secondPassAfterMs = minutes(5)

const scanSize = 2000

/** The steps of both passes, in their order. */
const steps = [
  ...(['account', 'orders', 'order traces', 'payment events', 'delivery events'] as const),
  ...(['account again', 'order traces again'] as const),
]
const secondPass = steps.indexOf('account again')

type EraseCtx = { db: Db; store: Store }

/**
 * Erases what is known of a person (decision 0041). The account ends in one transaction, and from then on nothing
 * personal is written for it. What is left follows in steps, each a transaction of its own, which a job resumes.
 */
export const eraseCustomerBy = async (
  { db, store }: EraseCtx,
  by: Author,
  customerId: string,
): Promise<'erased' | 'erasing'> => {
  await db.tx((tx) => endAccount(tx, store, by, customerId))
  const until = performance.now() + requestMs
  // What happens after the first pass is over is left to the job.
  const erasure = await sql.readErasure(db, store.id, customerId)
  if (erasure?.personal === null) return 'erased'
  const isErased = await carryOut({ db, store }, customerId, () => performance.now() >= until)
  if (!isErased) {
    await db.tx(async (tx) => {
      await sql.releaseErasure(tx, store.id, customerId)
      tx.signal(erasureJob, store.id)
    })
  }
  return isErased ? 'erased' : 'erasing'
}

/** Again for a customer who was erased, to go on with what is left. */
const endAccount = async (tx: Tx, store: Store, by: Author, customerId: string): Promise<void> => {
  await lockCustomerCart(tx, store.id, customerId)
  const customer = await holdCustomer(tx, store.id, customerId)
  if (customer === undefined) throw refuse('CUSTOMER_NOT_FOUND', { customerId })
  if (customer.erasedAt !== null) return
  const unfinished = await listUnfinishedOrders(tx, store.id, customerId)
  if (unfinished.length > 0) {
    throw refuse('CUSTOMER_HAS_OPEN_ORDERS', { orders: unfinished.map(({ number }) => String(number)) })
  }
  const returning = await listOrdersBeingReturned(tx, store.id, customerId)
  if (returning.length > 0) {
    throw refuse('CUSTOMER_HAS_OPEN_RETURNS', { orders: returning.map(({ number }) => String(number)) })
  }
  await sql.insertErasure(tx, store.id, customerId, await collectPersonal(tx, store.id, customer))
  const erased = await eraseCustomer(tx, store.id, customerId)
  await deleteSessions(tx, store.id, customerId, null)
  await deleteMailTokens(tx, store.id, customerId, null)
  await deleteAddresses(tx, store.id, customerId)
  await deleteWishlistOf(tx, store.id, customerId)
  await deleteNotes(tx, store.id, customerId)
  await emptyCartOf(tx, store.id, customerId)
  recordCustomerEvent(tx, store, erased, 'customer.erased')
  recordChange(tx, store, by, { action: 'customer.erased', id: customerId })
}

/** Present and earlier names, emails and numbers: events and the audit log know the earlier ones. */
const collectPersonal = async (tx: Tx, storeId: StoreId, customer: HeldCustomer): Promise<sql.Personal> => {
  const events = await listEventsToErase(tx, storeId, [customer.id])
  const audited = await listAuditToErase(tx, storeId, 'customer', [customer.id])
  const known = [
    customer,
    ...events.map(({ data }) => data),
    ...audited.flatMap(({ changes }) => [pick(changes, 'before'), pick(changes, 'after')]),
  ].map(toFields)
  const texts = (name: string) => known.map((fields) => fields[name]).filter((text) => typeof text === 'string')
  const addresses = await listAllAddresses(tx, { storeId, customerId: customer.id })
  const emails = toPersonalValues(texts('email'))
  const phones = toPersonalValues([...texts('phone'), ...texts('contactPhone')])
  const values = toPersonalValues([
    ...[...emails, ...texts('name').flatMap(nameForms)],
    ...[...phones, ...addresses.map(({ phone }) => phone)].flatMap(phoneForms),
    ...addresses.flatMap(({ name, line1, line2, landmark }) => [...nameForms(name), line1, line2, landmark]),
  ])
  return { values, emails, phones }
}

const pick = (changes: Readonly<Record<string, { before: unknown; after: unknown }>>, side: 'before' | 'after') =>
  Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change[side]]))

/** Returns true once the first pass is done. The second one is left to a job, which calls this again. */
export const carryOut = async (
  { db, store }: EraseCtx,
  customerId: string,
  isToStop: () => boolean,
): Promise<boolean> => {
  const before = await sql.readErasure(db, store.id, customerId)
  if (before === undefined || before.finishedAt !== null) return true
  const isSecondPass = before.step >= secondPass
  for (;;) {
    const state = await db.tx((tx) => takeStep(tx, store.id, customerId))
    if (state === 'finished' || (state === 'first pass done' && !isSecondPass)) return true
    if (isToStop()) return isSecondPass
  }
}

const takeStep = async (tx: Tx, storeId: StoreId, customerId: string) => {
  const erasure = await sql.lockErasure(tx, storeId, customerId)
  if (erasure === undefined || erasure.finishedAt !== null) return 'finished'
  const done = await doStep(tx, storeId, erasure)
  if (done.last !== null) {
    await sql.noteStep(tx, storeId, { ...erasure, personal: done.personal, lastNumber: done.last })
    return 'going on'
  }
  const next = erasure.step + 1
  if (next === secondPass) {
    await sql.endFirstPass(tx, storeId, customerId, next, secondPassAfterMs)
    return 'first pass done'
  }
  if (next === steps.length) {
    await sql.finishErasure(tx, storeId, customerId)
    return 'finished'
  }
  await sql.noteStep(tx, storeId, { ...erasure, personal: done.personal, step: next, lastNumber: 0 })
  return 'going on'
}

/** `last`: where the step stopped, or null if it is done. */
type Done = { last: number | null; personal: sql.Personal | null }

const doStep = async (tx: Tx, storeId: StoreId, erasure: sql.Erasure): Promise<Done> => {
  const { customerId, personal, lastNumber: after } = erasure
  const { values, emails, phones } = personal ?? nothing
  const scan = { after, limit: scanSize }
  const contacts = toPersonalValues([...emails, ...phones.flatMap(phoneForms)])
  switch (steps[erasure.step]) {
    case 'orders': {
      const erased = await eraseNextOrders(tx, storeId, customerId, { after, values })
      const known = personal && { ...personal, values: erased.values.slice(0, maxValues) }
      return { last: erased.last, personal: known }
    }
    case 'order traces':
    case 'order traces again':
      return { last: await eraseNextTraces(tx, storeId, customerId, { after, values }), personal }
    case 'payment events':
      return { last: lastOf(await eraseUnmatchedPaymentEvents(tx, storeId, contacts, scan)), personal }
    case 'delivery events':
      return { last: lastOf(await eraseUnmatchedDeliveryEvents(tx, storeId, contacts, scan)), personal }
    default:
      await eraseTraces(tx, storeId, erasure)
      return { last: null, personal }
  }
}

const nothing: sql.Personal = { values: [], emails: [], phones: [] }

/** Each text is searched for all of them. */
const maxValues = 2000

const lastOf = ({ scanned, last }: { scanned: number; last: number | null }) => (scanned < scanSize ? null : last)

/** What the account has left behind elsewhere. */
const eraseTraces = async (tx: Tx, storeId: StoreId, { customerId, personal }: sql.Erasure): Promise<void> => {
  const { emails, phones } = personal ?? nothing
  // Before the cart, as in a checkout.
  await deleteAnswers(tx, storeId, customerId)
  await lockCustomerCart(tx, storeId, customerId)
  await emptyCartOf(tx, storeId, customerId)
  await deleteSessions(tx, storeId, customerId, null)
  await deleteCodes(tx, storeId, [...emails, ...phones])
  await deleteCodeRequests(tx, storeId, [...emails, ...phones])
  await deleteFailures(tx, storeId, customerId, emails)
  await eraseMailTo(tx, storeId, emails)
  await eraseEvents(tx, storeId, [customerId], eraseCustomerEvent)
  await eraseAudit(tx, storeId, 'customer', [customerId], (changes) => eraseAll(changes))
}
