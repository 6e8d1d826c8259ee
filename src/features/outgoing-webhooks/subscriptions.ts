import { refuse } from '../../core/domain-errors.ts'
import { eventTypes } from '../events/events.contract.ts'

const groupOf = (type: string) => `${type.split('.', 1)[0]}.*`

/** What an endpoint can subscribe to: one type, or all types of a group. */
const subscribable: ReadonlySet<string> = new Set([...eventTypes, ...eventTypes.map(groupOf)])

/** Refuses unknown types. Each is kept once. */
export const readSubscription = (types: readonly string[]): string[] => {
  const unknown = types.find((type) => !subscribable.has(type))
  if (unknown !== undefined) {
    throw refuse('WEBHOOK_TYPE_UNKNOWN', { type: unknown, types: [...subscribable].sort() })
  }
  if (types.length === 0) throw refuse('WEBHOOK_TYPES_MISSING', {})
  return [...new Set(types)]
}
