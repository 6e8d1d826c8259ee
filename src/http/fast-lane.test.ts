import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { fail } from '../core/errors.ts'
import { type CachedAnswer, makeCachedAnswer } from './cached-answers.ts'
import { createFastLane, type Recognised } from './fast-lane.ts'
import { openEndpoint } from './fixture.ts'
import type { RequestLogEntry } from './request-log.ts'

const endpoint = openEndpoint({
  ...{ method: 'GET', path: '/v1/things', tag: 'Test', summary: 'A test', access: 'public' },
  ok: Type.Unsafe<unknown>({}),
})

const readCtx = { cacheStore: 1, cacheScope: 1 }

/** A server with only a fast lane and one cached answer. */
const serve = async (
  t: TestContext,
  { count = () => ({ headers: [], failure: null }), mayRead = () => true }: Partial<Recognised>,
  answer: CachedAnswer = makeCachedAnswer('{"things":[]}', { endpoint }),
) => {
  const logged: RequestLogEntry[] = []
  const failures: unknown[] = []
  const lane = createFastLane({
    ...{ prefix: '/v1/', exposedHeaders: 'etag', isDraining: () => false, logsAll: true },
    recognise: () => ({ storeId: 'store_1', cacheStore: 1, cacheScope: 1, mayRead, count, readCtx: () => readCtx }),
    findRead: () => undefined,
    answers: { get: () => answer },
    seriesOf: () => () => {},
    logRequest: (entry) => logged.push(entry),
    logFailure: ({ error }) => failures.push(error),
  })
  const server = createServer((request, response) => {
    if (!lane(request, response)) response.writeHead(404).end()
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (encoding = 'identity') => {
    const headers = { 'accept-encoding': encoding, connection: 'close' }
    const response = await fetch(`http://127.0.0.1:${port}/v1/things`, { headers, signal: AbortSignal.timeout(5_000) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { ask, logged, failures }
}

const internal = '{"error":"Something went wrong on our side.","code":"INTERNAL"}'

test('a failing counter is a 500 with an error body, is logged, and does not affect later requests', async (t) => {
  let isDown = true
  const counters: (() => Promise<never> | never)[] = [
    () => Promise.reject(new Error('the counter is down')),
    () => {
      throw new Error('the counter is down')
    },
  ]
  for (const failing of counters) {
    isDown = true
    const count = () => (isDown ? failing() : { headers: [], failure: null })
    const { ask, logged, failures } = await serve(t, { count })
    const { status, text, headers } = await ask()
    assert.deepEqual([status, text], [500, internal])
    assert.ok(headers.has('x-request-id'))
    assert.match(String(failures[0]), /the counter is down/)
    isDown = false
    assert.equal((await ask()).status, 200)
    assert.deepEqual(
      logged.map((entry) => entry.status),
      [500, 200],
    )
  }
})

test('an unavailable counter is a 503 with its headers', async (t) => {
  const failure = fail('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '2' } })
  const { ask } = await serve(t, { count: () => Promise.reject(failure) })
  const { status, text, headers } = await ask()
  assert.deepEqual([status, JSON.parse(text).code, headers.get('retry-after')], [503, 'SERVICE_UNAVAILABLE', '2'])
})

test('an answer that cannot be compressed is a 500 without an encoding, and other callers get it uncompressed', async (t) => {
  const answer = makeCachedAnswer(JSON.stringify('x'.repeat(5_000)), { endpoint })
  answer.gzip = Promise.reject(new Error('no memory'))
  answer.gzip.catch(() => {})
  const { ask, logged, failures } = await serve(t, {}, answer)
  const { status, text, headers } = await ask('gzip')
  assert.deepEqual([status, text, headers.get('content-encoding')], [500, internal, null])
  assert.match(String(failures[0]), /no memory/)
  assert.equal((await ask()).status, 200)
  assert.deepEqual(
    logged.map((entry) => entry.status),
    [500, 200],
  )
})

test('a compressed answer is logged when it is sent', async (t) => {
  const answer = makeCachedAnswer(JSON.stringify('x'.repeat(5_000)), { endpoint })
  const { ask, logged } = await serve(t, {}, answer)
  for (const _ of [1, 2]) {
    const { text, headers } = await ask('gzip')
    assert.deepEqual([text.length, headers.get('content-encoding')], [5_002, 'gzip'])
  }
  assert.deepEqual(
    logged.map((entry) => entry.status),
    [200, 200],
  )
})

test('a request for an endpoint that the caller may not read is left to Fastify', async (t) => {
  const { ask } = await serve(t, { mayRead: () => false })
  assert.equal((await ask()).status, 404)
})
