import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** What happens to one request instead of an answer. */
export type Fault =
  | 'none'
  /** The connection closes before the service gets the request. */
  | 'lost on the way there'
  /** The service handles the request, and the connection closes before the response. */
  | 'lost on the way back'
  | 'no answer'
  | { status: number; headers?: Record<string, string>; body?: string }

export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

export type FaultyProxy = {
  url: string
  /** Every request, in the order in which they came. */
  seen: Seen[]
  /** The next requests fail like this, one after another; those after them pass. */
  fail(...faults: Fault[]): void
  /** The same for requests of one method; others pass meanwhile. */
  failOn(method: string, ...faults: Fault[]): void
  /** Resolves when the service has answered this many requests in total. */
  untilAnswered(count: number): Promise<void>
}

/** A proxy between a client and a service that fails on request. */
export const startFaultyProxy = async (t: TestContext, target: string): Promise<FaultyProxy> => {
  const faults: Fault[] = []
  const faultsOf = new Map<string, Fault[]>()
  const seen: Seen[] = []
  let answered = 0
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const asked = await readRequest(request)
    seen.push(asked)
    const fault = faultsOf.get(asked.method)?.shift() ?? faults.shift()
    if (fault === 'no answer') return
    if (fault === 'lost on the way there') return void request.socket.destroy()
    if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
    const answer = await forward(target, asked)
    answered++
    for (const look of waiting) look()
    if (fault === 'lost on the way back') return void request.socket.destroy()
    await relay(answer, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    fail: (...next) => void faults.push(...next),
    failOn: (method, ...next) => void faultsOf.set(method, next),
    untilAnswered: (count) =>
      new Promise((resolve) => {
        const look = () => answered >= count && resolve()
        waiting.push(look)
        look()
      }),
  }
}

const readRequest = async (request: IncomingMessage): Promise<Seen> => {
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
}

/** Headers of the connection, which are not forwarded. */
const ofConnection = ['host', 'connection', 'content-length', 'transfer-encoding', 'content-encoding', 'keep-alive']

const forward = (target: string, { method, path, headers, body }: Seen) => {
  const passed = Object.entries(headers).filter(([name]) => !ofConnection.includes(name)) as [string, string][]
  return fetch(target + path, { method, headers: passed, redirect: 'manual', ...(body === '' ? {} : { body }) })
}

const relay = async (answer: Response, response: ServerResponse) => {
  const passed = [...answer.headers].filter(([name]) => !ofConnection.includes(name))
  response.writeHead(answer.status, Object.fromEntries(passed)).end(Buffer.from(await answer.arrayBuffer()))
}
