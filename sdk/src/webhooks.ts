import type { EventData } from './types.ts'

export type { EventData }

/** The name of an event, such as `order.paid`. */
export type EventType = keyof EventData

/** What Vitrine sends to a webhook endpoint. `type` tells what `data` is. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [Name in Type]: {
    type: Name
    /** When it happened: ISO 8601, UTC. */
    timestamp: string
    storeId: string
    /** Counts the events of one order, customer, product or stock level. A lower one is older. */
    sequence: number
    data: EventData[Name]
    /** The body was too long: the lines of the order, or the variants and the description of the product, were left out. */
    truncated?: true
  }
}[Type]

/** Why an event was refused. Answer the request with 400. */
export class WebhookError extends Error {
  override name = 'WebhookError'
}

/** The headers of the request: those of `fetch`, or of Node's `http`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type WebhookRequest = {
  /** The secret of the endpoint, `whsec_…`. While you rotate it, both. */
  secret: string | readonly string[]
  headers: WebhookHeaders
  /** The body as it was received. Parsing it and writing it again changes the bytes that were signed. */
  body: string | Uint8Array
  /** How old the request may be, and how far in the future. Default: 300. */
  toleranceSeconds?: number
}

/** Checks the signature and the time of a request, and returns its event with the id. Throws a `WebhookError`. */
export const verifyWebhook = async (request: WebhookRequest): Promise<WebhookEvent & { id: string }> => {
  const { headers, body, secret, toleranceSeconds = 300 } = request
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= toleranceSeconds)) throw new WebhookError('The request is too old, or its time is in the future.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  for (const one of secrets) {
    if (await isSigned(one, signed, signatures)) return { ...readEvent(bytes), id }
  }
  throw new WebhookError('The signature does not match.')
}

const readEvent = (bytes: Uint8Array): WebhookEvent => {
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof event === 'object' && event !== null && typeof event.type === 'string') return event
  } catch {}
  throw new WebhookError('The body is not an event.')
}

/** Node writes the names in lower case; other servers may keep them as they were sent. */
const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`)
  return value
}

const concat = (start: Uint8Array, rest: Uint8Array) => {
  const whole = new Uint8Array(start.length + rest.length)
  whole.set(start)
  whole.set(rest, start.length)
  return whole
}

/** `crypto.subtle.verify` compares in constant time. */
const isSigned = async (secret: string, signed: Uint8Array<ArrayBuffer>, signatures: readonly string[]) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (bytes === null) throw new WebhookError('The secret must be whsec_ and base64.')
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  for (const signature of signatures) {
    const mac = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : null
    if (mac !== null && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true
  }
  return false
}

const decodeBase64 = (text: string) => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
