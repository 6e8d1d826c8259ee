import { type Fields, toFields } from '../../core/fields.ts'
import { readBasicCredentials } from '../../core/headers.ts'
import type { Instrument } from '../../core/instrument.ts'
import { equalSecrets } from '../../core/secrets.ts'
import { fieldsAt, readDecimal, readList, readText, readTextOrNull } from '../read-fields.ts'
import { splitSecrets } from '../signatures.ts'
import {
  type EventMeaning,
  MalformedEvent,
  noNames,
  type PaymentNames,
  type ProviderPaymentStatus,
  type ProviderWebhook,
  type RefundStatus,
} from './provider.ts'

export const juspayWebhook: ProviderWebhook = {
  storeIn: 'header',
  isGenuine: ({ credentials }, { headers }) => {
    const sent = readBasicCredentials(headers.authorization)
    if (sent === null || !equalSecrets(sent.username, credentials.webhookUsername ?? '')) return false
    return splitSecrets(credentials.webhookPassword).some((password) => equalSecrets(sent.password, password))
  },
  read: ({ body }) => {
    const event = toFields(body)
    const eventId = readText(event, 'id')
    const name = readText(event, 'event_name')
    if (eventId === '' || name === '') throw new MalformedEvent('id and event_name are required.')
    return { eventId, ...readContent(name, fieldsAt(event, 'content', 'order')) }
  },
}

const refundEvents = new Set(['ORDER_REFUNDED', 'ORDER_REFUND_FAILED', 'REFUND_MANUAL_REVIEW_NEEDED'])

const readContent = (name: string, order: Fields): EventMeaning => {
  const names = namesOf(order)
  if (name.includes('CHARGEBACK')) return { type: 'dispute', names, state: 'opened', detail: name }
  if (refundEvents.has(name)) return readRefunds(name, names, order)
  const status = paymentStatusOf(order)
  if (status === 'success' || status === 'failed') return readPayment(names, order, status)
  return { type: 'other', name, names }
}

const namesOf = (order: Fields): PaymentNames => ({
  ...noNames,
  orderId: readTextOrNull(order, 'udf6'),
  paymentId: readTextOrNull(order, 'udf7'),
  reference: readTextOrNull(order, 'order_id')?.toLowerCase() ?? null,
  transaction: readTextOrNull(order, 'txn_id'),
})

const readPayment = (names: PaymentNames, order: Fields, status: 'success' | 'failed'): EventMeaning => {
  const amount = amountOf(order)
  const currency = readTextOrNull(order, 'currency')
  if (status === 'success' && (amount === null || currency === null)) {
    throw new MalformedEvent('amount and currency of the order are required.')
  }
  return { type: 'payment', names, status, amount, currency, instrument: readJuspayInstrument(order) }
}

/** By id and by name, since an answer may hold only one of them. An order that Juspay does not have is open. */
export const paymentStatusOf = (order: Fields): ProviderPaymentStatus => {
  const id = readDecimal(order, 'status_id')
  const byId = id === null ? undefined : byStatusId.get(id)
  const byName = byStatusName.get(readText(order, 'status'))
  // An answer that contradicts itself decides nothing.
  if (byId !== undefined && byName !== undefined && byId !== byName) return 'pending'
  return byId ?? byName ?? (id === null && readText(order, 'status') === '' ? 'open' : 'pending')
}

const statusTable: [id: number, name: string, status: ProviderPaymentStatus][] = [
  [10, 'NEW', 'open'],
  [20, 'STARTED', 'pending'],
  [21, 'CHARGED', 'success'],
  [22, 'JUSPAY_DECLINED', 'failed'],
  [23, 'PENDING_VBV', 'pending'],
  [24, 'VBV_SUCCESSFUL', 'pending'],
  [26, 'AUTHENTICATION_FAILED', 'failed'],
  [27, 'AUTHORIZATION_FAILED', 'failed'],
  [28, 'AUTHORIZING', 'pending'],
  [31, 'VOIDED', 'failed'],
  [32, 'VOID_INITIATED', 'pending'],
  [33, 'CAPTURE_INITIATED', 'pending'],
  [34, 'CAPTURE_FAILED', 'failed'],
  [36, 'AUTO_REFUNDED', 'failed'],
  [40, 'NOT_FOUND', 'open'],
]
const byStatusId = new Map(statusTable.map(([id, , status]) => [id, status]))
const byStatusName = new Map(statusTable.map(([, name, status]) => [name, status]))

/** In major units, as Juspay sends it. */
export const amountOf = (order: Fields): number | null => readDecimal(order, 'amount')

/** What an order was paid with. Each part may be missing. */
export const readJuspayInstrument = (order: Fields): Instrument => ({
  method: methods.get(readText(order, 'payment_method_type')) ?? readText(order, 'payment_method_type').toLowerCase(),
  last4: readText(fieldsAt(order, 'card'), 'last_four_digits'),
  upiId: readText(order, 'payer_vpa') || readText(fieldsAt(order, 'upi'), 'payer_vpa'),
  reference: readText(fieldsAt(order, 'payment_gateway_response'), 'rrn') || readText(order, 'txn_id'),
})

const methods = new Map([
  ['CARD', 'card'],
  ['UPI', 'upi'],
  ['NB', 'netbanking'],
  ['WALLET', 'wallet'],
])

/** Every event holds all refunds of the order so far. One without any says nothing. */
const readRefunds = (name: string, names: PaymentNames, order: Fields): EventMeaning => {
  const currency = readText(order, 'currency')
  const refunds = readList(order, 'refunds').map((refund) => {
    const amount = readDecimal(refund, 'amount')
    const reference = readTextOrNull(refund, 'unique_request_id')
    if (currency === '' || amount === null || reference === null) {
      throw new MalformedEvent('Each refund must have unique_request_id and amount, and the order a currency.')
    }
    const status = readJuspayRefundStatus(readText(refund, 'status'))
    return { refundId: null, reference, status, amount, currency, detail: readText(refund, 'error_message') }
  })
  return refunds.length === 0 ? { type: 'other', name, names } : { type: 'refund', names, refunds }
}

/** Only a word that Juspay documents as final is final. */
export const readJuspayRefundStatus = (status: string): RefundStatus => {
  if (status === 'SUCCESS') return 'succeeded'
  return status === 'FAILURE' ? 'failed' : 'pending'
}
