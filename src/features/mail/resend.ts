import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { mailJobNames } from '../events/messages.ts'
import type { FullOrderRow } from '../orders/orders.sql.ts'
import { findMail, findOrderEvent, insertResent, lockResends } from './mail.sql.ts'
import { isOrderMessage, orderMessages } from './messages/order-messages.ts'

const maxPerHour = 3

export type ResentMail = { id: string; message: string; order: string; recipient: string }

/**
 * Queues the mail of an order again, to the present address of the customer. The mail job sends it. What that job would
 * skip is refused here, where the operator sees why.
 */
export const resendMail = async (
  tx: Tx,
  store: Pick<Store, 'id' | 'mailOff'>,
  { id: orderId, number }: Pick<FullOrderRow, 'id' | 'number'>,
  message: string,
) => {
  if (!isOrderMessage(message)) throw refuse('MESSAGE_UNKNOWN', { message, messages: Object.keys(orderMessages) })
  if (store.mailOff.includes(message)) throw refuse('MAIL_SWITCHED_OFF', { message })
  const order = String(number)
  const event = await findOrderEvent(tx, store.id, orderId, message)
  if (event === undefined) throw refuse('MAIL_NOTHING_TO_RESEND', { order, message })
  const { eventId, email: recipient, isPayable } = event
  if (message === 'order.payment_failed' && !isPayable) throw refuse('MAIL_OUTDATED', { order, message })
  if (!recipient) throw refuse('MAIL_RECIPIENT_MISSING', { order })
  if (!isMailAddress(recipient)) throw refuse('MAIL_ADDRESS_INVALID', { address: recipient })
  await lockResends(tx, store.id, eventId)
  const id = newId('mail')
  const isQueued = (await insertResent(tx, store.id, { id, message, eventId, recipient, maxPerHour })) > 0
  if (!isQueued) throw refuse('MAIL_RESENT_TOO_OFTEN', { maxPerHour })
  tx.signal(mailJobNames.order, store.id)
  return { id, message, order, recipient }
}

/** The same with its entry in the audit log. */
export const resendMailBy = async (
  tx: Tx,
  store: Pick<Store, 'id' | 'mailOff'>,
  by: Author,
  order: Pick<FullOrderRow, 'id' | 'number'>,
  message: string,
): Promise<ResentMail> => {
  const queued = await resendMail(tx, store, order, message)
  const changes = { message: { before: null, after: message } }
  recordChange(tx, store, by, { action: 'order.message_resent', id: order.id, changes })
  return queued
}

/** A mail that `resendMail` has queued. */
export const readQueuedMail = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  { number }: Pick<FullOrderRow, 'number'>,
  id: string,
): Promise<ResentMail> => {
  const { message, recipient } = mustExist(await findMail(tx, store.id, id), `mail ${id}`)
  return { id, message, order: String(number), recipient: recipient ?? '' }
}
