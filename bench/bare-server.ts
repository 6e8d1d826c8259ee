import cluster from 'node:cluster'
import { createServer } from 'node:http'
import pg from 'pg'
import { connections } from './load.ts'

/**
 * The limit to measure against: `node:http` that sends the same bytes and headers and does nothing else, unless it asks the
 * database for one value, by a prepared statement.
 */
const serve = () => {
  const { status, headers, body } = JSON.parse(process.env.BARE_ANSWER ?? '{}')
  const bytes = Buffer.from(body, 'base64')
  const database = JSON.parse(process.env.BARE_DATABASE ?? 'null')
  const pool = database === null ? null : new pg.Pool({ ...database, max: connections })
  createServer(async (_request, response) => {
    if (pool !== null) await pool.query({ name: 'one', text: 'select $1::integer as one', values: [1] })
    response.writeHead(status, headers)
    response.end(bytes)
  }).listen(Number(process.env.BARE_PORT), '127.0.0.1', () => {
    if (workers === 1) process.send?.('ready')
  })
}

/** With several workers, this process only hands out connections. */
const workers = Number(process.env.BARE_WORKERS)
if (workers === 1 || cluster.isWorker) serve()
else {
  let listening = 0
  for (let i = 0; i < workers; i++) cluster.fork()
  cluster.on('listening', () => {
    if (++listening === workers) process.send?.('ready')
  })
}
