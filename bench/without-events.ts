import pg from 'pg'

/**
 * Preloaded into a service whose transactions must not record events, to measure what recording costs. The statement is
 * answered without being sent.
 */
const send = pg.Client.prototype.query as (...args: unknown[]) => unknown

const isRecording = (query: unknown) =>
  typeof query === 'object' && query !== null && 'text' in query && String(query.text).includes('insert into event (')

Object.defineProperty(pg.Client.prototype, 'query', {
  value(this: pg.Client, ...args: unknown[]) {
    return isRecording(args[0]) ? Promise.resolve({ rows: [], rowCount: 0 }) : send.apply(this, args)
  },
})
