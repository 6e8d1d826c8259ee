import cluster from 'node:cluster'
import { createServer } from 'node:http'
import pg from 'pg'
import type { BareOptions } from './bare.ts'
import { connections } from './load.ts'
import { serviceSettings } from './record-requests.ts'

/**
 * The limit to measure against: `node:http` that sends the same bytes and headers and does nothing else, unless it sends
 * statements to the database before, prepared ones by the pool of pg.
 */
const serve = () => {
  const { status, headers, body } = JSON.parse(process.env.BARE_ANSWER ?? '{}')
  const bytes = Buffer.from(body, 'base64')
  const asks: BareOptions['asks'] | null = JSON.parse(process.env.BARE_ASKS ?? 'null')
  const pool = asks && new pg.Pool({ ...asks.database, max: connections, options: serviceSettings })
  const ask = async () => {
    const client = await pool?.connect()
    for (const [i, { text, values }] of (asks?.statements ?? []).entries())
      await client?.query({ name: `statement ${i}`, text, values: [...values] })
    client?.release()
  }
  createServer(async (_request, response) => {
    if (pool !== null) await ask()
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
