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
    serializers: { err: describeError },
    hooks: { streamWrite: blot },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

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

const secretShapes = /\b(vsk|vpk|vlk|gst|ses)_[\w.-]+|(?<=bearer )[\w.~+/=-]+|(?<=:\/\/[^/\s:@"]*:)[^@\s"]+(?=@)/gi
const phoneShape = /\+\d{3,12}(?=\d{3}\b)/g

export const blot = (line: string) => line.replaceAll(secretShapes, '[hidden]').replaceAll(phoneShape, '+[hidden]')
