import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'

/**
 * Logs hold no secret: we log no headers and no bodies, errors only by type, message and stack, and whatever still
 * looks like a key, a token or a phone number is blotted out on its way.
 */
export const createLogger = (config: Pick<Config, 'logLevel'>, destination?: DestinationStream) => {
  const options = {
    level: config.logLevel,
    base: null,
    serializers: { err: describeError, req: describeRequest },
    hooks: { streamWrite: blot },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Its id alone. Fastify would make an object of it, with address and all. */
const describeRequest = (request: unknown) =>
  typeof request === 'string' ? request : (request as { id?: string } | undefined)?.id

const describeError = (error: unknown): object => {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    type: error.name,
    message: error.message,
    ...('code' in error ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

const secretShapes = new RegExp(
  [
    // Keys and tokens of ours. An escape such as \\n or %20 may stand right before one, so a long one needs no word's end.
    /\b(?:vsk|vpk|vlk|gst|ses|dlk)_[\w.-]+/,
    /(?:vsk|vpk|vlk|gst|ses|dlk)_[\w.-]{12,}/,
    // The id of a guest's cart opens it. Tables are called cart_… too, so only what is as long as an id.
    /cart_[0-9a-z]{20,}/,
    // Internal tokens, and others that begin with encoded JSON.
    /eyJ[\w-]{8,}\.[\w.-]{8,}/,
    /(?<=bearer(?: |%20))[\w.~+/=-]+/,
    // The password in an address.
    /(?<=:\/\/[^/\s:@"]*:)[^@\s"]+(?=@)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)
const phoneShape = /(\+|%2B)\d{3,12}(?=\d{3}(?!\d))/gi

export const blot = (line: string) => line.replaceAll(secretShapes, '[hidden]').replaceAll(phoneShape, '$1[hidden]')
