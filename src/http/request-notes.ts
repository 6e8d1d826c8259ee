import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** One answered request, as figures and logs need it. */
export type RequestNote = { id: string; method: string; route: string; url: string; status: number; ms: number }

export type NoteRequest = (note: RequestNote) => void

export type SeriesOf = (method: string, route: string) => (status: number, seconds: number) => void

type NotesLogger = FastifyBaseLogger & { isLevelEnabled(level: string): boolean }

/** Figures for every request; a line in the log for those that were refused or failed, and at level debug for all. */
export const createRequestNotes =
  (seriesOf: SeriesOf, logger: NotesLogger): NoteRequest =>
  ({ id, method, route, url, status, ms }) => {
    seriesOf(method, route)(status, ms / 1000)
    if (status < 400 && !logger.isLevelEnabled('debug')) return
    const line = { req: id, method, path: pathOf(url), status, ms }
    if (status >= 500) logger.error(line, 'request failed')
    else if (status >= 400) logger.info(line, 'request refused')
    else logger.debug(line, 'request')
  }

/** Addresses go into logs and messages without their query, which may hold what a shopper typed. */
export const pathOf = (url: string) => url.split('?', 1)[0] ?? ''

export const observeRequests = (server: FastifyInstance, noteRequest: NoteRequest) => {
  server.addHook('onResponse', (request, reply, done) => {
    noteRequest({
      id: request.id,
      method: request.method,
      route: request.routeOptions.config.endpoint?.path ?? (request.is404 ? 'unknown' : 'other'),
      url: request.originalUrl,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    })
    done()
  })
}
