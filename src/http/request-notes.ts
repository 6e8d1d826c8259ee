import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { shortenText } from '../core/text.ts'

/** One answered request, as a log tells of it. */
export type RequestNote = {
  id: string
  method: string
  url: string
  status: number
  ms: number
  origin?: string | undefined
}

export type NoteRequest = (note: RequestNote) => void

/** Where the requests of a route are counted. */
export type SeriesOf = (method: string, route: string) => (status: number, seconds: number) => void

export const logRequestsTo =
  (logger: FastifyBaseLogger): NoteRequest =>
  ({ id, method, url, status, ms, origin }) => {
    const path = shortenText(readable(pathOf(url)), longestLogged)
    const line = {
      req: id,
      method,
      path,
      status,
      ms,
      ...(origin === undefined ? {} : { origin: shortenText(origin, longestLogged) }),
    }
    if (status >= 500) logger.error(line, 'request failed')
    else if (status >= 400) logger.info(line, 'request refused')
    else logger.debug(line, 'request')
  }

const longestLogged = 200

/** Plain characters that a caller percent-encoded are decoded, so that an id is redacted however it was written. */
const readable = (path: string) => {
  let text = path.slice(0, 3 * longestLogged)
  for (let rounds = 0; rounds < 3 && text.includes('%'); rounds++) {
    text = text.replaceAll(/%([2-7][0-9a-f])/gi, (_escape, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  }
  return text
}

/** Addresses go into logs and messages without their query, which may hold what a shopper typed. */
export const pathOf = (url: string) => url.split('?', 1)[0] ?? ''

export type ObserveOptions = { seriesOf: SeriesOf; logRequest: NoteRequest; logsAll: boolean }

/** Figures for every request; a line in the log for those that were refused or failed, and at level debug for all. */
export const observeRequests = (server: FastifyInstance, { seriesOf, logRequest, logsAll }: ObserveOptions) => {
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime: ms } = reply
    const route = request.routeOptions.config.endpoint?.path ?? (request.is404 ? 'unknown' : 'other')
    seriesOf(request.method, route)(status, ms / 1000)
    if (status >= 400 || logsAll) {
      // A browser tells its page nothing of an origin that was refused, so this is where one finds out.
      const origin = status === 403 ? request.headers.origin : undefined
      logRequest({ id: request.id, method: request.method, url: request.originalUrl, status, ms, origin })
    }
    done()
  })
}
