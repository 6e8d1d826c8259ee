import Type, { type TSchema } from 'typebox'
import { named } from '../../http/schema.ts'

/** Everything that is recorded as an event. A feature declares the types of its own with schema and example. */
export const eventTypes = [
  'order.placed',
  'order.paid',
  'order.payment_failed',
  'order.cancelled',
  'order.shipped',
  'order.out_for_delivery',
  'order.delivered',
  'order.refunded',
  'order.attention',
  'order.returned',
  'customer.created',
  'customer.updated',
  'customer.erased',
  'product.created',
  'product.updated',
  'product.archived',
  'stock.low',
  'stock.out',
] as const
export type EventType = (typeof eventTypes)[number]

/** What a receiver of this type of event gets in `data`, and when. */
export type EventDeclaration = { summary: string; data: TSchema; example: unknown }

/** The type of the event that an endpoint receives when it is tested. No endpoint subscribes to it. */
export const testEventType = 'webhook.test'

export const testEvent: EventDeclaration = {
  summary: 'An endpoint is tested; sent only to this endpoint, whatever it subscribes to',
  data: named('TestEventData', Type.Object({ endpointId: Type.String() })),
  example: { endpointId: 'whk_01k8x0v3m7q2w9c4t6y8zb' },
}

/** The types of one group, such as `order`. */
export type EventTypeOf<Group extends string> = Extract<EventType, `${Group}.${string}`>

/** The types that are told by mail, under the name of the event. `stock.out` is told as `stock.low`. */
export const mailedEventTypes = [
  'order.placed',
  'order.paid',
  'order.payment_failed',
  'order.cancelled',
  'order.shipped',
  'order.delivered',
  'order.refunded',
  'stock.low',
] as const satisfies readonly EventType[]
