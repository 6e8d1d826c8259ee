import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { assertError, callUrl, newStore, serviceFor, type TestService, withinASecond } from '../../test/harness.ts'
import { distantServiceFor, openLine } from '../../test/outage.ts'
import { createLogger } from '../logging.ts'
import { createServer } from './server.ts'

/** A bare server of ours that loses its patience quickly. */
const impatientServer = async (t: TestContext) => {
  const server = createServer({
    logger: createLogger({ logLevel: 'silent' }),
    trustProxy: false,
    fastLane: () => false,
    timeouts: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20, idleTimeout: 200 },
  })
  server.get('/large', (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)))
  server.post('/echo', (request) => ({ got: request.body }))
  t.after(() => server.close())
  return server.listen({ port: 0, host: '127.0.0.1' })
}

/** Speaks to a server word by word. */
const dial = async (t: TestContext, url: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const heard = { text: '', closed: false }
  socket.on('data', (bytes) => {
    heard.text += bytes
  })
  socket.on('close', () => {
    heard.closed = true
  })
  await once(socket, 'connect')
  return { socket, heard, say: (text: string) => void socket.write(text) }
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

test('a caller who does not read the answer is cut off', async (t) => {
  const caller = await dial(t, await impatientServer(t))
  caller.socket.pause()
  caller.say('GET /large HTTP/1.1\r\nhost: a\r\n\r\n')
  // A paused socket hears of the end only when it tries to send.
  while (!caller.socket.closed) {
    caller.say('x')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})

test('a caller whose headers never end is told so and let go', async (t) => {
  const caller = await dial(t, await impatientServer(t))
  caller.say('GET /echo HTTP/1.1\r\nhost: a\r\nx-slow: ')
  await closed(caller.socket)
  assertEnvelope(caller.heard.text, 408, 'REQUEST_TIMEOUT')
})

test('a caller whose body never ends is let go', async (t) => {
  const caller = await dial(t, await impatientServer(t))
  caller.say('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":')
  await closed(caller.socket)
  assertEnvelope(caller.heard.text, 408, 'REQUEST_TIMEOUT')
})

test('what is not HTTP, and headers beyond measure, are answered in our form', async (t) => {
  const url = await impatientServer(t)
  const stranger = await dial(t, url)
  stranger.say('\x16\x03\x01 hello\r\n\r\n')
  await closed(stranger.socket)
  assertEnvelope(stranger.heard.text, 400, 'BAD_REQUEST')
  const talker = await dial(t, url)
  talker.say(`GET /echo HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)
  await closed(talker.socket)
  assertEnvelope(talker.heard.text, 431, 'HEADERS_TOO_LARGE')
})

test('a caller who hangs up in the middle of a body harms nobody', async (t) => {
  const url = await impatientServer(t)
  const caller = await dial(t, url)
  caller.say('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":')
  caller.socket.destroy()
  const headers = { 'content-type': 'application/json' }
  const answer = await callUrl(`${url}/echo`, { method: 'POST', headers, body: '{"b":1}' })
  assert.deepEqual(answer.json, { got: { b: 1 } })
})

test('the timeouts of a service are short enough to shake off slow callers', async (t) => {
  const { app } = await serviceFor(t)
  const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server.server
  assert.ok(headersTimeout > 0 && headersTimeout <= 30_000)
  assert.ok(requestTimeout >= headersTimeout && requestTimeout <= 60_000)
  assert.ok(keepAliveTimeout > 60_000, 'longer than the minute after which load balancers give up idle connections')
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

test('a shutdown answers what is under way, closes what is idle and takes nothing new', async (t) => {
  const own = await serviceFor(t)
  const shop = await newStore(own)
  await shop.add({ name: 'Mug', price: 10 })
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line }, patienceMs: 30_000 })
  const idle = await dial(t, distant.url)
  idle.say('GET /health HTTP/1.1\r\nhost: a\r\n\r\n')
  await withinASecond(async () => idle.heard.text.includes('"status":"ok"'))
  assert.ok(!idle.heard.closed, 'the connection is kept for another request')

  line.silence()
  const underWay = distant.call('/v1/products', { headers: { 'x-store-key': shop.key } })
  // Both: a background query may hold a connection while the request still waits to be accepted.
  while ((await connectedCallers(distant)) < 2 || busyConnections(distant) === 0) await new Promise(setImmediate)
  const closing = distant.close()
  await closed(idle.socket)
  assert.ok(await withinASecond(() => refusesConnections(distant.url)))

  await line.mend()
  const answer = await underWay
  assert.equal(answer.status, 200)
  assert.equal(answer.json[0].name, 'Mug')
  assert.equal(answer.headers.get('connection'), 'close')
  await closing
  assert.ok(await withinASecond(async () => line.connections() === 0), 'nothing is left at the database')
})

const connectedCallers = ({ app }: Pick<TestService, 'app'>) => {
  const { server } = app.server
  return promisify<number>((done) => server.getConnections(done))()
}

const busyConnections = ({ db }: Pick<TestService, 'db'>) => {
  const { total, idle } = db.poolState()
  return total - idle
}

const blockLoop = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('a process that is far behind sends callers away in a form that pages can read, and recovers', async (t) => {
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
