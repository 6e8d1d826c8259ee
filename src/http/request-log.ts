import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { ErrorCode } from '../core/errors.ts'
import { shortenText } from '../core/text.ts'

/** One answered request. */
export type RequestLogEntry = {
  id: string
  method: string
  url: string
  status: number
  ms: number
  /** The code of an error. */
  code?: ErrorCode | undefined
  /** The public id of the store, if it is known. */
  storeId?: string | undefined
  origin?: string | undefined
}

export type LogRequest = (entry: RequestLogEntry) => void

/** The metrics of a route: returns a function that records one request. */
export type SeriesOf = (method: string, route: string) => (status: number, seconds: number) => void

export const logRequestsTo =
  (logger: FastifyBaseLogger): LogRequest =>
  ({ id, method, url, status, ms, code, storeId, origin }) => {
    const line = {
      req: id,
      method,
      path: loggedPathOf(url),
      status,
      ms,
      ...(code === undefined ? {} : { code }),
      ...(storeId === undefined ? {} : { storeId }),
      ...(origin === undefined ? {} : { origin: shortenText(origin, maxLoggedLength) }),
    }
    if (status >= 500) logger.error(line, 'request')
    else if (status >= 400) logger.info(line, 'request')
    else logger.debug(line, 'request')
  }

const maxLoggedLength = 200

export const loggedPathOf = (url: string) => shortenText(decodePlainCharacters(pathOf(url)), maxLoggedLength)

/** Decodes percent-encoded ASCII, so that ids are redacted however they were encoded. */
const decodePlainCharacters = (path: string) => {
  let text = path.slice(0, 3 * maxLoggedLength)
  for (let rounds = 0; rounds < 3 && text.includes('%'); rounds++) {
    text = text.replaceAll(/%([2-7][0-9a-f])/gi, (_escape, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return text
}

/** Logs and messages never contain the query of a URL, which may hold what a shopper typed. */
export const pathOf = (url: string) => url.split('?', 1)[0] ?? ''

export type ObserveOptions = { seriesOf: SeriesOf; logRequest: LogRequest; logsAll: boolean }

/** Records metrics of every request. Logs those that were refused or failed, and at level debug all of them. */
export const observeRequests = (server: FastifyInstance, { seriesOf, logRequest, logsAll }: ObserveOptions) => {
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime: ms } = reply
    const route = request.routeOptions.config.endpoint?.path ?? (request.is404 ? 'unknown' : 'other')
    seriesOf(request.method, route)(status, ms / 1000)
    if (status >= 400 || logsAll) {
      // Browsers hide the reason for a refused origin from the page, so the log must show it.
      const origin = status === 403 ? request.headers.origin : undefined
      const { id, method, originalUrl: url } = request
      const code = request.errorCode ?? undefined
      const storeId = request.ctx?.store?.publicId
      logRequest({ id, method, url, status, ms, code, storeId, origin })
    }
    done()
  })
}
