import type { StoredEvent } from '../context.ts'

/** Receivers and the proxies in front of them often refuse larger bodies. */
const maxBodyBytes = 20_000

/** What is emptied in a body that is too large, one after the other, until it fits. */
const longFields = 'items variants description media images options shipments refunds timeline'.split(' ')

/**
 * The body of a request. If it would be larger than 20 kB, the lines of the order are left out, and `truncated` says so:
 * the receiver can read the order from the API.
 */
export const writeEventBody = (storeId: string, event: StoredEvent, data: unknown): string => {
  const { type, sequence, createdAt } = event
  const envelope = { type, timestamp: createdAt.toISOString(), storeId, sequence }
  let body = JSON.stringify({ ...envelope, data })
  let rest = data
  for (const field of longFields) {
    if (Buffer.byteLength(body) <= maxBodyBytes) break
    rest = emptyField(rest, field)
    body = JSON.stringify({ ...envelope, truncated: true, data: rest })
  }
  return body
}

const emptyField = (data: unknown, field: string): unknown => {
  if (typeof data !== 'object' || data === null || !(field in data)) return data
  const value = Reflect.get(data, field)
  const empty = Array.isArray(value) ? [] : typeof value === 'string' ? '' : value
  return { ...data, [field]: empty }
}
