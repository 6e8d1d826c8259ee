import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import Type from 'typebox'
import { callUrl, withinASecond } from '../../../test/harness.ts'
import { fail } from '../../core/errors.ts'
import { equalSecrets } from '../../core/secrets.ts'
import { createAnswerCache } from '../../http/cached-answers.ts'
import { createOperations, invoke } from '../../http/operations.ts'
import { registerRoutes } from '../../http/register.ts'
import { createServer } from '../../http/server.ts'
import { createLookupLimit, createSubjectLimit } from './lookups.ts'
import { webhookEndpoint } from './webhook.contract.ts'
import { type Authenticate, type WebhookCtx, webhookDoor, webhookRoutes } from './webhooks.ts'

const contract = {
  signedReport: webhookEndpoint({
    ...{ method: 'POST', path: '/webhook/signed/{storeId}', access: 'provider', tag: 'Test', summary: 'A test' },
    params: Type.Object({ storeId: Type.String() }),
    body: Type.Object({ id: Type.String() }),
    ok: Type.Object({ id: Type.String(), store: Type.String() }),
  }),
}

const secret = 'whsec_of_the_test'
const sign = (bytes: string | Buffer) => createHmac('sha256', secret).update(bytes).digest('hex')

type Caller = { store: string }

/** Like a provider with signatures: finds the store by the path, then verifies the raw body. */
const bySignature: Authenticate<Caller> = async ({ headers, params, readBody, lookUp }) => {
  const signature = headers['x-signature']
  const refused = fail('UNAUTHORIZED', 'The signature is not valid.')
  if (typeof signature !== 'string') throw refused
  const expected = sign(await readBody())
  const store = await lookUp('', async () => (equalSecrets(expected, signature) ? params.storeId : undefined))
  if (store === undefined) throw refused
  return { store }
}

const serve = async (t: TestContext, authenticate = bySignature) => {
  const handled: WebhookCtx<Caller>[] = []
  const services = {
    limitSubjects: createSubjectLimit(
      createLookupLimit(() => 0),
      () => 0,
    ),
  }
  const routes = webhookRoutes(services, contract, authenticate, {
    signedReport: ({ ctx, body }) => {
      handled.push(ctx)
      return { body: { id: body.id, store: ctx.store, surplus: 'never sent' } }
    },
  })
  const operations = createOperations(routes, [webhookDoor])
  const server = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, fastLane: () => false })
  const answers = createAnswerCache({ maxBytes: 1, maxAgeMs: 1 })
  registerRoutes(server, operations.all, { answers, clientAddressOf: () => '127.0.0.1', maxUploads: 1 })
  t.after(() => server.close())
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const call = request(`${url}/webhook/signed/store_1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': sign(body), ...headers },
    })
    call.end(body)
    const [response] = await once(call, 'response')
    const text = Buffer.concat(await response.toArray()).toString()
    return { status: response.statusCode as number, json: JSON.parse(text) }
  }
  return { url, post, handled, operations }
}

test('a signature is verified against the raw bytes, and the handler receives them', async (t) => {
  const { post, handled } = await serve(t)
  const odd = '{ "id" : "e1",\n\t"amount": 10.00, "name": "caf\\u00e9" }'
  assert.deepEqual(await post(odd, { 'x-event-id': 'evt_7' }), { status: 200, json: { id: 'e1', store: 'store_1' } })
  assert.equal(handled[0]?.rawBody.toString(), odd)
  assert.equal(handled[0]?.headers['x-event-id'], 'evt_7')
  const same = JSON.stringify(JSON.parse(odd))
  assert.equal((await post(same, { 'x-signature': sign(odd) })).json.code, 'UNAUTHORIZED')
  assert.equal(handled.length, 1)
})

test('a body is parsed after its signature is verified: an unsigned invalid body is 401', async (t) => {
  const { post, handled } = await serve(t)
  const bodies: [body: string, type: string, status: number][] = [
    ['{"broken', 'application/json', 400],
    ['', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{"id":1}', 'application/json', 400],
    ['{"__proto__":1}', 'application/json', 400],
    ['{"id":"e1"}', 'text/plain', 415],
    ['id=e1', 'application/x-www-form-urlencoded', 415],
  ]
  for (const [body, type, status] of bodies) {
    assert.equal((await post(body, { 'content-type': type, 'x-signature': 'f00' })).status, 401, body)
    assert.equal((await post(body, { 'content-type': type })).status, status, body)
  }
  assert.equal(handled.length, 0)
})

test('a body beyond the limit is 413, signed or not', async (t) => {
  const { post } = await serve(t)
  const large = Buffer.alloc(1024 * 1024 + 1, 0x20)
  assert.equal((await post(large)).json.code, 'PAYLOAD_TOO_LARGE')
  assert.equal((await post(large, { 'x-signature': 'f00' })).json.code, 'PAYLOAD_TOO_LARGE')
})

test('reading the body fails when it is too large or aborted', async (t) => {
  const endings: string[] = []
  const authenticate: Authenticate<Caller> = async ({ readBody }) => {
    await readBody().catch((error: Error) => endings.push(error.message))
    return { store: 'store_1' }
  }
  const { url, post } = await serve(t, authenticate)
  await post(Buffer.alloc(1024 * 1024 + 1, 0x20))
  await withinASecond(async () => endings.length === 1)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST /webhook/signed/store_1 HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{')
  await once(socket, 'connect')
  socket.end()
  await withinASecond(async () => endings.length === 2)
  assert.equal(endings.length, 2)
})

test('a caller refused by its headers is answered before its body arrives', async (t) => {
  const { url } = await serve(t)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST /webhook/signed/store_1 HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{')
  const [bytes] = await once(socket, 'data')
  socket.destroy()
  assert.match(String(bytes), /^HTTP\/1.1 401 /)
})

test('the body is parsed even when authentication did not read it', async (t) => {
  const { post, handled } = await serve(t, async () => ({ store: 'known by its headers' }))
  assert.equal((await post('{"id":"e1"}')).status, 200)
  assert.equal(handled[0]?.rawBody.toString(), '{"id":"e1"}')
})

test('too many failed authentications are 429', async (t) => {
  const { post } = await serve(t)
  const statuses: number[] = []
  for (let tries = 0; tries < 62; tries++) statuses.push((await post('{}', { 'x-signature': 'f00' })).status)
  assert.deepEqual([statuses.indexOf(429), statuses.at(-1)], [60, 429])
})

test('a request without a body and content type is authenticated too', async (t) => {
  const { url } = await serve(t)
  const call = (signature: string) =>
    callUrl(`${url}/webhook/signed/store_1`, { method: 'POST', headers: { 'x-signature': signature } })
  assert.equal((await call('f00')).status, 401)
  assert.equal((await call(sign(''))).status, 400)
})

test('a malformed path parameter is refused before any lookup', async (t) => {
  const { url, handled } = await serve(t, async () => assert.fail('nothing may be looked up'))
  const answer = await callUrl(`${url}/webhook/signed/a%00b`, { method: 'POST' })
  assert.equal(answer.json.code, 'BAD_REQUEST')
  assert.equal(handled.length, 0)
})

test('a webhook operation does not run without an authenticated context', async (t) => {
  const { operations, handled } = await serve(t)
  const operation = operations.find(contract, 'signedReport')
  const input = { params: { storeId: 'store_1' }, body: { id: 'e1' } }
  await assert.rejects(invoke(operation, {}, input), /needs the context of a webhook/)
  const ctx = { store: 'store_2', headers: {}, rawBody: Buffer.from('{}'), cacheStore: 0, cacheScope: 0 }
  assert.deepEqual((await invoke(operation, ctx, input)).body, { id: 'e1', store: 'store_2' })
  assert.equal(handled.length, 1)
})
