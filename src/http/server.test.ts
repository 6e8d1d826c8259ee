import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { assertError, callUrl, newStore, serviceFor, type TestService, withinASecond } from '../../test/harness.ts'
import { distantServiceFor, openLine } from '../../test/outage.ts'
import { createLogger } from '../logging.ts'
import { allowSlowBody } from './body-timeout.ts'
import { createServer, type ServerOptions } from './server.ts'

/** A server with short timeouts. */
const startImpatientServer = async (t: TestContext, timeouts: ServerOptions['timeouts'] = {}) => {
  const server = createServer({
    logger: createLogger({ logLevel: 'silent' }),
    trustProxy: false,
    fastLane: () => false,
    timeouts: { headersTimeout: 100, bodyTimeout: 100, connectionsCheckingInterval: 20, ...timeouts },
  })
  server.get('/large', (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)))
  server.post('/echo', (request) => ({ got: request.body }))
  server.addContentTypeParser('text/plain', async (request: FastifyRequest, payload: IncomingMessage) => {
    allowSlowBody(request.raw)
    return text(payload)
  })
  t.after(() => server.close())
  return server.listen({ port: 0, host: '127.0.0.1' })
}

/** Sends raw text to a server. */
const dial = async (t: TestContext, url: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const received = { text: '', closed: false }
  socket.on('data', (bytes) => {
    received.text += bytes
  })
  socket.on('close', () => {
    received.closed = true
  })
  await once(socket, 'connect')
  return { socket, received, send: (text: string) => void socket.write(text) }
}

const closed = (socket: Socket) => (socket.closed ? undefined : once(socket, 'close'))

const assertEnvelope = (raw: string, status: number, code: string) => {
  const [head = '', body = ''] = raw.split('\r\n\r\n')
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), raw)
  assert.match(head, /content-type: application\/json/i)
  assert.match(head, /connection: close/i)
  const json = JSON.parse(body)
  assert.deepEqual(Object.keys(json).sort(), ['code', 'error'])
  assert.equal(json.code, code)
}

test('a client that does not read its answer is disconnected', async (t) => {
  const caller = await dial(t, await startImpatientServer(t, { idleTimeout: 200 }))
  caller.socket.pause()
  caller.send('GET /large HTTP/1.1\r\nhost: a\r\n\r\n')
  // A paused socket notices the disconnect only when it sends.
  while (!caller.socket.closed) {
    caller.send('x')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})

test('a client whose headers never end gets 408 and is disconnected', async (t) => {
  const caller = await dial(t, await startImpatientServer(t))
  caller.send('GET /echo HTTP/1.1\r\nhost: a\r\nx-slow: ')
  await closed(caller.socket)
  assertEnvelope(caller.received.text, 408, 'REQUEST_TIMEOUT')
})

test('a client whose body never ends gets 408 and is disconnected', async (t) => {
  const caller = await dial(t, await startImpatientServer(t))
  caller.send('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":')
  await closed(caller.socket)
  assertEnvelope(caller.received.text, 408, 'REQUEST_TIMEOUT')
})

test('an upload may take longer, up to the limit of the server', async (t) => {
  const head =
    'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\n'
  const patient = await dial(t, await startImpatientServer(t))
  for (const piece of [head, 'a', 'b', 'c', 'd']) {
    patient.send(piece)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  await closed(patient.socket)
  assert.match(patient.received.text, /^HTTP\/1.1 200 [\s\S]*{"got":"abcd"}$/)
  const late = await dial(t, await startImpatientServer(t, { requestTimeout: 100 }))
  late.send(`${head}a`)
  await closed(late.socket)
  assertEnvelope(late.received.text, 408, 'REQUEST_TIMEOUT')
})

test('malformed HTTP and oversized headers are answered with an error body', async (t) => {
  const url = await startImpatientServer(t)
  const malformed = await dial(t, url)
  malformed.send('\x16\x03\x01 hello\r\n\r\n')
  await closed(malformed.socket)
  assertEnvelope(malformed.received.text, 400, 'BAD_REQUEST')
  const oversized = await dial(t, url)
  oversized.send(`GET /echo HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)
  await closed(oversized.socket)
  assertEnvelope(oversized.received.text, 431, 'HEADERS_TOO_LARGE')
})

test('a client that disconnects in the middle of a body does not affect others', async (t) => {
  const url = await startImpatientServer(t)
  const caller = await dial(t, url)
  caller.send('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":')
  caller.socket.destroy()
  const headers = { 'content-type': 'application/json' }
  const answer = await callUrl(`${url}/echo`, { method: 'POST', headers, body: '{"b":1}' })
  assert.deepEqual(answer.json, { got: { b: 1 } })
})

test('the default timeouts are short enough to disconnect slow clients', async (t) => {
  const { app } = await serviceFor(t)
  const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server.server
  assert.ok(headersTimeout > 0 && headersTimeout <= 30_000)
  assert.ok(requestTimeout >= headersTimeout && requestTimeout <= 600_000)
  assert.ok(keepAliveTimeout > 60_000, 'longer than the minute after which load balancers close idle connections')
})

const refusesConnections = async (url: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

test('a shutdown completes requests in progress, closes idle connections and accepts no new ones', async (t) => {
  const own = await serviceFor(t)
  const shop = await newStore(own)
  await shop.add({ name: 'Mug', price: 10 })
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line }, patienceMs: 30_000 })
  const idle = await dial(t, distant.url)
  idle.send('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
  await withinASecond(async () => idle.received.text.includes('"status":"ok"'))
  assert.ok(!idle.received.closed, 'the connection is kept alive')

  line.silence()
  const arrived = once(distant.app.server.server, 'request')
  const underWay = distant.call('/v1/products', { headers: { 'x-store-key': shop.key } })
  // Both conditions, because a background query may hold a connection before the request arrives.
  await arrived
  while (busyConnections(distant) === 0) await new Promise(setImmediate)
  const closing = distant.close()
  await closed(idle.socket)
  assert.ok(await withinASecond(() => refusesConnections(distant.url)))

  await line.mend()
  const answer = await underWay
  assert.equal(answer.status, 200)
  assert.equal(answer.json[0].name, 'Mug')
  assert.equal(answer.headers.get('connection'), 'close')
  await closing
  assert.ok(await withinASecond(async () => line.connections() === 0), 'no database connection is left')
})

const busyConnections = ({ db }: Pick<TestService, 'db'>) => {
  const { total, idle } = db.poolState()
  return total - idle
}

const blockLoop = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('an overloaded process answers 503 with CORS headers, is healthy, and recovers', async (t) => {
  const origin = `https://busy-${process.pid}.example`
  const line = await openLine(t)
  const busy = await distantServiceFor(t, { lines: { queries: line }, maxLoopDelayMs: 50 })
  const own = await serviceFor(t)
  const { key } = await newStore(own, { origins: [origin] })
  const ask = () => busy.call('/v1/store', { headers: { 'x-store-key': key, origin } })
  let answer = await ask()
  for (let rounds = 0; answer.status === 200 && rounds < 30; rounds++) {
    blockLoop(400)
    answer = await busy.call('/v1/products', { headers: { 'x-store-key': key, origin } })
  }
  assert.equal((await busy.call('/health')).status, 200)
  assertError(answer, 503, 'SERVICE_UNAVAILABLE')
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(answer.headers.get('access-control-allow-origin'), origin)
  assert.match(answer.headers.get('vary') ?? '', /origin/i)
  assert.ok(answer.headers.has('x-request-id'))
  for (let tries = 0; answer.status !== 200 && tries < 10; tries++) {
    await withinASecond(async () => {
      answer = await busy.call('/v1/products', { headers: { 'x-store-key': key, origin } })
      return answer.status === 200
    })
  }
  assert.equal(answer.status, 200)
})
