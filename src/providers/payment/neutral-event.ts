import { type EventStatus, eventStatuses, MalformedEvent, type PaymentEvent } from './provider.ts'

/** The format of `POST /webhook/payment`, which the sandbox speaks as well. */
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

const texts = ['transactionId', 'currency', 'method', 'last4', 'upiId', 'reference', 'occurredAt'] as const

export const readNeutralEvent = (body: unknown): PaymentEvent => {
  const event = (typeof body === 'object' && body !== null ? body : {}) as NeutralEvent
  for (const name of ['eventId', 'orderId', 'status'] as const) {
    if (typeof event[name] !== 'string' || event[name] === '') throw new MalformedEvent(`${name} is required.`)
  }
  for (const name of texts) {
    if (event[name] != null && typeof event[name] !== 'string') throw new MalformedEvent(`${name} must be string.`)
  }
  const status = event.status as EventStatus
  if (!eventStatuses.includes(status)) throw new MalformedEvent(`status must be one of ${eventStatuses.join(', ')}.`)
  if (event.amount != null && typeof event.amount !== 'number') throw new MalformedEvent('amount must be number.')
  const movesMoney = status === 'success' || status === 'refunded'
  if (movesMoney && (event.amount == null || event.currency == null)) {
    throw new MalformedEvent(`amount and currency are required when status is ${status}.`)
  }
  return {
    eventId: event.eventId,
    orderId: event.orderId,
    transactionId: event.transactionId || null,
    status,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    instrument: {
      method: event.method ?? '',
      last4: event.last4 ?? '',
      upiId: event.upiId ?? '',
      reference: event.reference ?? '',
    },
  }
}
