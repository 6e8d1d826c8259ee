import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import type pg from 'pg'
import type { Load } from './load.ts'
import type { Recording } from './record-requests.ts'
import { endChild, freePort } from './service.ts'

const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

export type BareOptions = {
  /** Processes that answer. */
  workers?: number
  /** Before each answer it sends these statements to this database. */
  asks?: { database: pg.ClientConfig; statements: Recording }
}

/** A bare `node:http` that answers as the service answers this load. */
export const startBare = async (load: Load, { workers = 1, asks }: BareOptions = {}) => {
  const answer = await askRaw(load)
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ownHeaders.has(name)))
  const port = await freePort()
  const child = fork(new URL('./bare-server.ts', import.meta.url), {
    env: {
      ...process.env,
      BARE_PORT: String(port),
      BARE_WORKERS: String(workers),
      BARE_ASKS: JSON.stringify(asks ?? null),
      BARE_ANSWER: JSON.stringify({ status: answer.status, headers, body: answer.body.toString('base64') }),
    },
  })
  await once(child, 'message')
  return {
    load: { url: `http://127.0.0.1:${port}/`, headers: load.headers, pid: child.pid as number },
    stop: () => endChild(child),
  }
}

/** The raw answer: fetch would request compression and decompress it. */
const askRaw = async ({ url, headers }: Load) => {
  const outgoing = request(url, { headers }).end()
  const [incoming] = await once(outgoing, 'response')
  return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(await incoming.toArray()) }
}
