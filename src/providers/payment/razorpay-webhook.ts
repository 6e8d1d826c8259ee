import { hash } from 'node:crypto'
import { type Fields, toFields } from '../../core/fields.ts'
import { readHeader } from '../../core/headers.ts'
import type { Instrument } from '../../core/instrument.ts'
import { toWire } from '../../core/money.ts'
import { fieldsAt, readDecimal, readText, readTextOrNull } from '../read-fields.ts'
import { hmacHex, isSignedByOneOf, splitSecrets } from '../signatures.ts'
import {
  type DisputeReport,
  type EventMeaning,
  MalformedEvent,
  noNames,
  type PaymentNames,
  type ProviderWebhook,
  type RefundStatus,
} from './provider.ts'

export const razorpayWebhook: ProviderWebhook = {
  storeIn: 'path',
  isGenuine: ({ credentials }, { headers, rawBody }) => {
    const signature = readHeader(headers, 'x-razorpay-signature') ?? ''
    const secrets = splitSecrets(credentials.webhookSecret)
    return isSignedByOneOf(secrets, [signature], (secret) => hmacHex(secret, rawBody))
  },
  read: ({ headers, rawBody, body }) => {
    const event = toFields(body)
    const name = readText(event, 'event')
    if (name === '') throw new MalformedEvent('event is required.')
    // The id is a header, and a stored event has no headers.
    const eventId = readHeader(headers, 'x-razorpay-event-id') || hash('sha256', rawBody)
    return { eventId, ...readPayload(name, fieldsAt(event, 'payload')) }
  },
}

const readPayload = (name: string, payload: Fields): EventMeaning => {
  const entity = (kind: string) => fieldsAt(payload, kind, 'entity')
  if (name === 'payment_link.paid') return readPaidLink(entity('payment_link'), entity('payment'))
  if (name === 'refund.created' || name === 'refund.processed' || name === 'refund.failed') {
    return readRefund(entity('refund'), entity('payment'))
  }
  if (name.startsWith('payment.dispute.')) return readDispute(name, entity('dispute'), entity('payment'))
  // A failed attempt among them: the shopper can try again on the same page.
  return { type: 'other', name, names: namesOf(entity('payment')) }
}

const namesOf = (payment: Fields): PaymentNames => {
  const notes = fieldsAt(payment, 'notes')
  return {
    ...noNames,
    orderId: readTextOrNull(notes, 'orderId'),
    paymentId: readTextOrNull(notes, 'paymentId'),
    transaction: readTextOrNull(payment, 'id'),
  }
}

const readPaidLink = (link: Fields, payment: Fields): EventMeaning => {
  const currency = readText(link, 'currency')
  const paid = readDecimal(link, 'amount_paid')
  if (currency === '' || paid === null || readText(link, 'status') !== 'paid') {
    throw new MalformedEvent('payment_link must be paid and have amount_paid and currency.')
  }
  return {
    type: 'payment',
    names: {
      ...namesOf(payment),
      paymentId: readTextOrNull(link, 'reference_id'),
      reference: readTextOrNull(link, 'id'),
    },
    status: 'success',
    amount: toWire(paid, currency),
    currency,
    instrument: readRazorpayInstrument(payment),
  }
}

/** What a payment was made with. Each part may be missing. */
export const readRazorpayInstrument = (payment: Fields): Instrument => {
  const acquirer = fieldsAt(payment, 'acquirer_data')
  return {
    method: readText(payment, 'method'),
    last4: readText(fieldsAt(payment, 'card'), 'last4'),
    upiId: readText(payment, 'vpa') || readText(fieldsAt(payment, 'upi'), 'vpa'),
    reference: readText(acquirer, 'rrn') || readText(acquirer, 'bank_transaction_id') || readText(payment, 'id'),
  }
}

const readRefund = (refund: Fields, payment: Fields): EventMeaning => {
  const currency = readText(refund, 'currency')
  const amount = readDecimal(refund, 'amount')
  const reference = readTextOrNull(refund, 'id')
  if (currency === '' || amount === null || reference === null) {
    throw new MalformedEvent('refund must have id, amount and currency.')
  }
  const refundId = readTextOrNull(fieldsAt(refund, 'notes'), 'refundId') ?? readTextOrNull(refund, 'receipt')
  const status = readRazorpayRefundStatus(readText(refund, 'status'))
  return {
    type: 'refund',
    names: { ...namesOf(payment), transaction: readTextOrNull(refund, 'payment_id') },
    refunds: [{ refundId, reference, status, amount: toWire(amount, currency), currency, detail: '' }],
  }
}

/** Only a word that Razorpay documents as final is final. */
export const readRazorpayRefundStatus = (status: string): RefundStatus => {
  if (status === 'processed') return 'succeeded'
  return status === 'failed' ? 'failed' : 'pending'
}

const readDispute = (name: string, dispute: Fields, payment: Fields): EventMeaning => ({
  type: 'dispute',
  names: { ...namesOf(payment), transaction: readTextOrNull(dispute, 'payment_id') ?? readTextOrNull(payment, 'id') },
  state: disputeStates.get(name) ?? 'updated',
  detail: readText(dispute, 'reason_code'),
})

const disputeStates = new Map<string, DisputeReport['state']>([
  ['payment.dispute.created', 'opened'],
  ['payment.dispute.won', 'won'],
  ['payment.dispute.lost', 'lost'],
])
