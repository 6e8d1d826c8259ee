import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'
import { toFields } from './core/fields.ts'
import { shortenText } from './core/text.ts'

/**
 * Logs contain no secrets: headers and bodies are never logged, errors only by type, message, code and stack, and
 * anything that looks like a key, a token or a phone number is redacted. Text that a caller chose is cut short first.
 */
export const createLogger = (config: Pick<Config, 'logLevel'>, destination?: DestinationStream) => {
  const options = {
    level: config.logLevel,
    base: null,
    serializers: { err: (error: unknown) => describeError(error), req: describeRequest },
    hooks: { streamWrite: redact },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Only the id. Fastify's default would log the URL and the client address as well. */
const describeRequest = (request: unknown) => (typeof request === 'string' ? request : toFields(request).id)

const maxMessageLength = 2_000
const maxStackLength = 8_000
const maxCauses = 5

const describeError = (error: unknown, causesLeft = maxCauses): object => {
  if (!(error instanceof Error)) return { message: shortenText(String(error), maxMessageLength) }
  return {
    type: error.name,
    message: shortenText(error.message, maxMessageLength),
    ...('code' in error ? { code: error.code } : {}),
    stack: shortenText(error.stack ?? '', maxStackLength),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: describeError(error.cause, causesLeft - 1) }),
  }
}

/**
 * Every pattern runs in linear time on any text: a quadratic one let a long path block the process for half a second.
 * `test/regexps.test.ts` checks that. `_` may be percent-encoded.
 */
const secretShapes = new RegExp(
  [
    // Our keys and tokens. An escape such as \\n or %20 may precede one directly, so a long one needs no word boundary.
    /\b(?:vsk|vpk|vlk|gst|ses|dlk)(?:_|%5F)[\w.-]+/,
    /(?:vsk|vpk|vlk|gst|ses|dlk)(?:_|%5F)[\w.-]{12,}/,
    // Keys of Stripe and Razorpay.
    /\b(?:(?:sk|rk|rzp)(?:_|%5F)(?:live|test)|whsec)(?:_|%5F)[\w+/=-]+/,
    /(?:(?:sk|rk|rzp)(?:_|%5F)(?:live|test)|whsec)(?:_|%5F)[\w+/=-]{12,}/,
    // The id of a guest's cart grants access to it. Table names start with cart_ too, so only ids of full length match.
    /cart(?:_|%5F)[0-9a-z]{20,}/,
    // Internal tokens, and others that start with Base64-encoded JSON.
    /eyJ[\w.-]{17,}/,
    /(?<=bearer(?: |%20))[\w.~+/=-]+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)
const urlPassword = /(:\/\/[^/\s:@"]{0,200}:)[^@\s"/]{1,500}(?=@)/g
const phoneShape = /(\+|%2B)\d{3,12}(?=\d{3}(?!\d))/gi

export const redact = (line: string) =>
  line.replaceAll(secretShapes, '[hidden]').replaceAll(urlPassword, '$1[hidden]').replaceAll(phoneShape, '$1[hidden]')
