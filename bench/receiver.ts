import { once } from 'node:events'
import { createServer } from 'node:http'

/** What the receiver has got: the delay of each event, and the times of the first and the last. */
export type Received = { delays: number[]; firstAt: number; lastAt: number }

/** Takes events in a process of its own. `GET` returns what it has got, and starts again. */
let received: Received = { delays: [], firstAt: 0, lastAt: 0 }

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(received))
    received = { delays: [], firstAt: 0, lastAt: 0 }
    return
  }
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const { timestamp } = JSON.parse(Buffer.concat(parts).toString('utf8'))
  const now = Date.now()
  received.delays.push(now - Date.parse(timestamp))
  received.firstAt ||= now
  received.lastAt = now
  response.writeHead(204).end()
}).listen(0, '127.0.0.1')

await once(server, 'listening')
process.send?.(server.address())
process.once('disconnect', () => process.exit())
