import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { AnswerTooLong, type OutgoingRequest, sendRequest } from './http-request.ts'

const startServer = async (t: TestContext, answer: RequestListener) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const send = (request: Partial<OutgoingRequest> = {}) =>
    sendRequest({
      method: 'POST',
      url: `http://127.0.0.1:${port}/`,
      headers: { 'x-test': 'yes' },
      body: 'grüße',
      signal: AbortSignal.timeout(10_000),
      maxAnswerBytes: 1000,
      ...request,
    })
  return { server, send }
}

test('a request has its headers and its body, and requests share a connection', async (t) => {
  const { server, send } = await startServer(t, async (request, response) => {
    const parts = await request.toArray()
    const { 'content-length': length, 'x-test': header } = request.headers
    response.writeHead(418, { 'x-answer': 'no' }).end(`${length} ${header} ${Buffer.concat(parts)}`)
  })
  let connections = 0
  server.on('connection', () => connections++)
  for (let time = 1; time <= 3; time++) {
    const { status, headers, text } = await send()
    assert.deepEqual([status, headers['x-answer'], text], [418, 'no', '7 yes grüße'])
  }
  assert.equal(connections, 1)
})

test('a redirect is an answer and is not followed', async (t) => {
  let requests = 0
  const { send } = await startServer(t, (_, response) => {
    requests++
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal((await send()).status, 302)
  assert.equal(requests, 1)
})

test('an answer that is too long is not read to its end', async (t) => {
  let isClosed: Promise<unknown> | undefined
  const { send } = await startServer(t, (_, response) => {
    isClosed = once(response, 'close')
    response.write('x'.repeat(2000))
  })
  await assert.rejects(send(), AnswerTooLong)
  await isClosed
})

test('the signal ends a request without an answer, and one whose answer stops', async (t) => {
  for (const answer of [() => {}, (_, response) => void response.write('the beginning')] as RequestListener[]) {
    const { server, send } = await startServer(t, answer)
    const controller = new AbortController()
    const sent = send({ signal: controller.signal })
    await once(server, 'request')
    controller.abort()
    await assert.rejects(sent, { name: 'AbortError' })
  }
})

test('a connection that is refused or lost, and a URL that is not HTTP, are errors', async (t) => {
  const { server, send } = await startServer(t, (request) => void request.socket.destroy())
  await assert.rejects(send(), { code: 'ECONNRESET' })
  await assert.rejects(send({ url: 'ftp://127.0.0.1/' }), TypeError)
  server.close()
  await once(server, 'close')
  await assert.rejects(send(), { code: 'ECONNREFUSED' })
})

test('a long answer can be cut instead, and the rest is not read', async (t) => {
  let isClosed: Promise<unknown> | undefined
  const { send } = await startServer(t, (_, response) => {
    isClosed = once(response, 'close')
    response.write('x'.repeat(2000))
  })
  const { status, text } = await send({ cutsLongAnswer: true })
  assert.deepEqual([status, text], [200, 'x'.repeat(1000)])
  await isClosed
})

const here = [{ address: '127.0.0.1', family: 4 }]

test('a request goes to the given address, whatever its host name resolves to', async (t) => {
  const { server, send } = await startServer(t, ({ headers }, response) => void response.end(headers.host))
  const { port } = server.address() as AddressInfo
  const url = `http://shop.invalid:${port}/`
  assert.equal((await send({ url, addresses: here })).text, `shop.invalid:${port}`)
  // The second address is tried when the first does not answer.
  const addresses = [{ address: '127.0.0.3', family: 4 }, ...here]
  assert.equal((await send({ url, addresses })).status, 200)
  await assert.rejects(send({ url }), { code: /ENOTFOUND|EAI_AGAIN/ })
  await assert.rejects(send({ url, addresses: [] }), /has no address/)
})

test('an address has three seconds to accept the connection before the next one is tried', async (t) => {
  const { server, send } = await startServer(t, (_, response) => void response.end())
  const { port } = server.address() as AddressInfo
  const connect = t.mock.method(Socket.prototype, 'connect')
  await send({ url: `http://shop.invalid:${port}/`, addresses: [{ address: '127.0.0.3', family: 4 }, ...here] })
  const [options] = connect.mock.calls.flatMap((call) => call.arguments as unknown[]).flat()
  assert.partialDeepStrictEqual(options, { autoSelectFamilyAttemptTimeout: 3000 })
})

test('a connection is reused only for the same addresses', async (t) => {
  const { server, send } = await startServer(t, ({ socket }, response) => void response.end(socket.localAddress))
  let connections = 0
  server.on('connection', () => connections++)
  const { port } = server.address() as AddressInfo
  const url = `http://localhost:${port}/`
  for (let time = 1; time <= 3; time++) await send({ url, addresses: here })
  assert.equal(connections, 1, 'the same address')
  // Nothing listens there, and the idle connection to the first address must not be used.
  await assert.rejects(send({ url, addresses: [{ address: '127.0.0.2', family: 4 }] }), { code: 'ECONNREFUSED' })
  await send({ url: `http://127.0.0.1:${port}/` })
  assert.equal(connections, 2, 'a request without the guard has its own connection')
})

test('an answer that switches the protocol, or none at all, is an error', async (t) => {
  const { server, send } = await startServer(t, () => {})
  server.removeAllListeners('request')
  server.on('request', ({ socket }) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  await assert.rejects(send(), /switched to another protocol/)
  server.removeAllListeners('request')
  server.on('request', ({ socket }) => socket.end())
  await assert.rejects(send(), { code: 'ECONNRESET' })
})
