import pg from 'pg'
import { Sending, StatementBatch } from '../src/db/batch.ts'

/** Loaded before the service: while switched off with SIGUSR2, the service sends another statement in place of events. */
let isRecording = true
process.on('SIGUSR2', () => {
  isRecording = !isRecording
})

/** It has the same round trip and the same answer as events that nobody has subscribed to. */
const replaceEvents = (sending: Sending): Sending => {
  if (!sending.text.includes('insert into event (')) return sending
  const other = new Sending({ name: 'no-event', text: 'select null as kind where false' })
  other.answered.then(sending.resolve, sending.reject)
  return other
}

const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    const [first] = args
    if (isRecording || !(first instanceof StatementBatch)) return query.apply(this, args)
    return query.call(this, new StatementBatch(first.statements.map(replaceEvents)))
  },
})
