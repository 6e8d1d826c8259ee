import { toFields } from '../../core/fields.ts'
import { MalformedEvent, noNames, type PaymentEvent } from './provider.ts'

export const eventStatuses = ['success', 'failed', 'pending', 'refunded'] as const
export type EventStatus = (typeof eventStatuses)[number]

/** The format of `POST /webhook/payment`, which the sandbox uses too. */
export type NeutralEvent = {
  eventId: string
  orderId: string
  status: string
  transactionId?: string | null
  amount?: number | null
  currency?: string | null
  method?: string | null
  last4?: string | null
  upiId?: string | null
  reference?: string | null
  occurredAt?: string | null
}

export const readNeutralEvent = (body: unknown): PaymentEvent => {
  const event = toFields(body)
  const text = (name: keyof NeutralEvent) => {
    const value = event[name] ?? null
    if (value !== null && typeof value !== 'string') throw new MalformedEvent(`${name} must be string.`)
    return value
  }
  const requiredText = (name: keyof NeutralEvent) => {
    const value = event[name]
    if (typeof value !== 'string' || value === '') throw new MalformedEvent(`${name} is required.`)
    return value
  }
  const [eventId, orderId, sentStatus] = [requiredText('eventId'), requiredText('orderId'), requiredText('status')]
  const [transactionId, currency] = [text('transactionId'), text('currency')]
  const [method, last4, upiId, reference] = [text('method'), text('last4'), text('upiId'), text('reference')]
  text('occurredAt')
  const status = eventStatuses.find((known) => known === sentStatus)
  if (status === undefined) throw new MalformedEvent(`status must be one of ${eventStatuses.join(', ')}.`)
  const amount = event.amount ?? null
  if (amount !== null && typeof amount !== 'number') throw new MalformedEvent('amount must be number.')
  const movesMoney = status === 'success' || status === 'refunded'
  if (movesMoney && (amount === null || currency === null)) {
    throw new MalformedEvent(`amount and currency are required when status is ${status}.`)
  }
  const names = { ...noNames, orderId, reference: transactionId || null }
  if (status === 'refunded') {
    // The format reports whole refunds only, without an id.
    const whole = { refundId: null, reference: null, status: 'succeeded', detail: '' } as const
    return { eventId, names, type: 'refund', refunds: [{ ...whole, amount: amount ?? 0, currency: currency ?? '' }] }
  }
  const instrument = { method: method ?? '', last4: last4 ?? '', upiId: upiId ?? '', reference: reference ?? '' }
  return { eventId, names, type: 'payment', status, amount, currency, instrument }
}
