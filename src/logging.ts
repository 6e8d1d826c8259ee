import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'
import { toFields } from './core/fields.ts'
import { shortenText } from './core/text.ts'

/**
 * Logs hold no secret: we log no headers and no bodies, errors only by type, message and stack, and whatever still
 * looks like a key, a token or a phone number is redacted on its way. Text that a caller chose is cut short first.
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

/** Its id alone. Fastify would make an object of it, with address and all. */
const describeRequest = (request: unknown) => (typeof request === 'string' ? request : toFields(request).id)

const longestMessage = 2_000
const longestStack = 8_000
const mostCauses = 5

const describeError = (error: unknown, causesLeft = mostCauses): object => {
  if (!(error instanceof Error)) return { message: shortenText(String(error), longestMessage) }
  return {
    type: error.name,
    message: shortenText(error.message, longestMessage),
    ...('code' in error ? { code: error.code } : {}),
    stack: shortenText(error.stack ?? '', longestStack),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: describeError(error.cause, causesLeft - 1) }),
  }
}

/**
 * Every pattern takes time in proportion to the text, whatever the text is: a quadratic one let a stranger's long path
 * block the process for half a second. `npm run check:regexps` holds them to it. `_` may be percent-encoded.
 */
const secretShapes = new RegExp(
  [
    // Keys and tokens of ours. An escape such as \\n or %20 may stand right before one, so a long one needs no word's end.
    /\b(?:vsk|vpk|vlk|gst|ses|dlk)(?:_|%5F)[\w.-]+/,
    /(?:vsk|vpk|vlk|gst|ses|dlk)(?:_|%5F)[\w.-]{12,}/,
    // The id of a guest's cart opens it. Tables are called cart_… too, so only what is as long as an id.
    /cart(?:_|%5F)[0-9a-z]{20,}/,
    // Internal tokens, and others that begin with encoded JSON.
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
