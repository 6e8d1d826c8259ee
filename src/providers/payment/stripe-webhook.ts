import { seconds } from '../../core/clock.ts'
import { type Fields, toFields } from '../../core/fields.ts'
import { readHeader } from '../../core/headers.ts'
import { toWire } from '../../core/money.ts'
import { fieldsAt, readDecimal, readText, readTextOrNull } from '../read-fields.ts'
import { hmacHex, isSignedByOneOf, splitSecrets } from '../signatures.ts'
import { type EventMeaning, MalformedEvent, noNames, type ProviderWebhook, type RefundStatus } from './provider.ts'

const toleranceMs = seconds(300)

export const stripeWebhook: ProviderWebhook = {
  storeIn: 'path',
  lacksInstrument: true,
  isGenuine: ({ credentials }, { headers, rawBody }, nowMs) => {
    const { time, signatures } = readSignature(readHeader(headers, 'stripe-signature') ?? '')
    if (!(Math.abs(nowMs - Number(time) * 1000) <= toleranceMs)) return false
    const secrets = splitSecrets(credentials.webhookSecret)
    return isSignedByOneOf(secrets, signatures, (secret) => hmacHex(secret, `${time}.`, rawBody))
  },
  read: ({ body }) => {
    const event = toFields(body)
    const eventId = readText(event, 'id')
    const type = readText(event, 'type')
    if (eventId === '' || type === '') throw new MalformedEvent('id and type are required.')
    return { eventId, ...readObject(type, fieldsAt(event, 'data', 'object')) }
  },
}

const maxSignatures = 10

const readSignature = (header: string) => {
  const parts = header.split(',', maxSignatures).map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  const [time = ''] = valuesOf('t')
  return { time: /^\d{1,12}$/.test(time) ? time : 'none', signatures: valuesOf('v1') }
}

const readObject = (type: string, object: Fields): EventMeaning => {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object, readText(object, 'payment_status') === 'paid' ? 'success' : 'pending')
    case 'checkout.session.async_payment_failed':
      return readSession(object, 'failed')
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(object)
    case 'charge.dispute.created':
      return readDispute(object, 'opened')
    case 'charge.dispute.closed': {
      const status = readText(object, 'status')
      return readDispute(object, status === 'won' || status === 'lost' ? status : 'updated')
    }
    default:
      // A failed attempt among them: the shopper can try again on the same page.
      return { type: 'other', name: type, names: namesOf(object) }
  }
}

const namesOf = (object: Fields) => ({
  ...noNames,
  orderId: readTextOrNull(fieldsAt(object, 'metadata'), 'orderId'),
  paymentId: readTextOrNull(fieldsAt(object, 'metadata'), 'paymentId'),
})

const readSession = (session: Fields, status: 'success' | 'failed' | 'pending'): EventMeaning => {
  const currency = readText(session, 'currency').toUpperCase()
  const total = readDecimal(session, 'amount_total')
  if (status === 'success' && (currency === '' || total === null)) {
    throw new MalformedEvent('amount_total and currency are required.')
  }
  const [method, ...others] = readMethods(session)
  return {
    type: 'payment',
    names: {
      ...namesOf(session),
      reference: readTextOrNull(session, 'id'),
      transaction: readTextOrNull(session, 'payment_intent'),
    },
    status,
    amount: total === null ? null : toWire(total, currency),
    currency: currency || null,
    // The event does not say more about the instrument; the status call does.
    instrument: { method: others.length === 0 ? (method ?? '') : '', last4: '', upiId: '', reference: '' },
  }
}

const readMethods = (session: Fields): string[] => {
  const types = session.payment_method_types
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
}

const readRefund = (refund: Fields): EventMeaning => {
  const currency = readText(refund, 'currency').toUpperCase()
  const amount = readDecimal(refund, 'amount')
  const reference = readTextOrNull(refund, 'id')
  if (currency === '' || amount === null || reference === null) {
    throw new MalformedEvent('id, amount and currency are required.')
  }
  return {
    type: 'refund',
    names: { ...namesOf(refund), transaction: readTextOrNull(refund, 'payment_intent') },
    refunds: [
      {
        refundId: readTextOrNull(fieldsAt(refund, 'metadata'), 'refundId'),
        reference,
        status: readStripeRefundStatus(readText(refund, 'status')),
        amount: toWire(amount, currency),
        currency,
        detail: readText(refund, 'failure_reason'),
      },
    ],
  }
}

const readDispute = (dispute: Fields, state: 'opened' | 'won' | 'lost' | 'updated'): EventMeaning => ({
  type: 'dispute',
  names: { ...namesOf(dispute), transaction: readTextOrNull(dispute, 'payment_intent') },
  state,
  detail: readText(dispute, 'reason'),
})

/** Only a word that Stripe documents as final is final. */
export const readStripeRefundStatus = (status: string): RefundStatus => {
  if (status === 'succeeded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}
