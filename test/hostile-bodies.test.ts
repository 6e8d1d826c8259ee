import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import Type from 'typebox'
import { createAnswerCache } from '../src/http/cached-answers.ts'
import { openEndpoint as endpoint, openDoor, openRoutes } from '../src/http/fixture.ts'
import { createOperations } from '../src/http/operations.ts'
import { registerRoutes } from '../src/http/register.ts'
import { createServer } from '../src/http/server.ts'

/** Endpoints made for this test: one of each kind that takes a body, declared like any other. */
const Line = Type.Object({ productId: Type.String(), quantity: Type.Integer({ minimum: 1, maximum: 999 }) })
const post = { method: 'POST', tag: 'Test', summary: 'A test', access: 'public', ok: Type.Unsafe<unknown>({}) } as const
const contract = {
  lenient: endpoint({ ...post, path: '/any', body: Type.Unsafe<unknown>({}) }),
  usual: endpoint({ ...post, path: '/line', body: Line }),
  unprocessable: endpoint({ ...post, path: '/cart', body: Line, invalidInput: 422 }),
  amount: endpoint({ ...post, path: '/amount', body: Type.Object({ amount: Type.Number() }) }),
  bodiless: endpoint({ ...post, path: '/logout' }),
}
const routes = openRoutes(contract, {
  lenient: ({ body }) => ({ body: { got: body ?? null } }),
  usual: ({ body }) => ({ body: { got: body } }),
  unprocessable: ({ body }) => ({ body: { got: body } }),
  amount: ({ body }) => ({ body: { got: body } }),
  bodiless: ({ body }) => ({ body: { got: body ?? null } }),
})

let server: FastifyInstance
let url: string
before(async () => {
  server = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, fastLane: () => false })
  const answers = createAnswerCache({ maxBytes: 1, maxAgeMs: 1 })
  const { all } = createOperations(routes, [openDoor])
  registerRoutes(server, all, { answers, clientAddressOf: () => '127.0.0.1', maxUploads: 1 })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

type Sent = { status: number; json: Record<string, unknown> }

const send = (path: string, body: string | Buffer | undefined, headers: Record<string, string> = json) =>
  new Promise<Sent>((resolve, reject) => {
    const call = request(`${url}${path}`, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
const json = { 'content-type': 'application/json' }

const refused = async (sent: Promise<Sent>, status: number, code: string, what = '') => {
  const { status: got, json: body } = await sent
  assert.equal(got, status, `${what} ${JSON.stringify(body).slice(0, 300)}`)
  assert.deepEqual(Object.keys(body).sort(), ['code', 'error'])
  assert.equal(body.code, code, what)
}

const good = { productId: 'prod_1', quantity: 2 }

test('a valid body arrives unchanged', async () => {
  const { status, json: answer } = await send('/line', JSON.stringify(good))
  assert.deepEqual([status, answer], [200, { got: good }])
  const text = { name: 'Café कमल 🫖 "quoted" \\ / \u2028', list: [1, 0.1, -5, true, null, {}], deep: { a: { b: [] } } }
  assert.deepEqual((await send('/any', JSON.stringify(text))).json, { got: text })
})

test('the content type may have a charset, capitals and spaces', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"',
  ]) {
    assert.equal((await send('/line', JSON.stringify(good), { 'content-type': type })).status, 200, type)
  }
})

test('any other content type is 415', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/xml',
    'text/json',
    'application/ld+json',
    'json',
    '*/*',
  ]) {
    await refused(send('/line', JSON.stringify(good), { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', type)
  }
  await refused(send('/line', JSON.stringify(good), {}), 415, 'UNSUPPORTED_MEDIA_TYPE', 'no type at all')
})

test('a body that is not JSON is 400, also where invalid input is 422', async () => {
  for (const path of ['/line', '/cart', '/any', '/logout']) {
    for (const body of [
      '{',
      '{"a":}',
      "{'a':1}",
      'a=1',
      '{"a":1}}',
      '[1,]',
      'undefined',
      'NaN',
      '\ufeff{}',
      ' ',
      '\0',
    ]) {
      await refused(send(path, body), 400, 'BAD_REQUEST', `${path} ${JSON.stringify(body)}`)
    }
  }
})

test('input that fails its schema is 400, and 422 where the endpoint says so', async () => {
  const wrong: unknown[] = [
    {},
    [],
    null,
    5,
    'text',
    [good],
    { productId: 'a' },
    { quantity: 1 },
    { ...good, quantity: 0 },
  ]
  wrong.push({ ...good, quantity: 1000 }, { ...good, productId: [] })
  for (const body of wrong) {
    await refused(send('/line', JSON.stringify(body)), 400, 'BAD_REQUEST', JSON.stringify(body))
    await refused(send('/cart', JSON.stringify(body)), 422, 'UNPROCESSABLE_ENTITY', JSON.stringify(body))
  }
  await refused(send('/line', ''), 400, 'BAD_REQUEST', 'an empty body')
  await refused(send('/cart', ''), 422, 'UNPROCESSABLE_ENTITY', 'an empty body')
})

test('values of a body are not converted to the expected type', async () => {
  for (const quantity of [null, '2', true, false, '', [2], { valueOf: 2 }, 1.5, '1e0', -0.5]) {
    await refused(send('/cart', JSON.stringify({ ...good, quantity })), 422, 'UNPROCESSABLE_ENTITY', `${quantity}`)
  }
  for (const productId of [null, 5, true, ['prod_1'], {}]) {
    await refused(send('/cart', JSON.stringify({ ...good, productId })), 422, 'UNPROCESSABLE_ENTITY', `${productId}`)
  }
})

test('a number out of range is refused, also where the schema has no bound', async () => {
  for (const amount of ['1e400', '-1e400', `1${'0'.repeat(400)}`]) {
    await refused(send('/amount', `{"amount":${amount}}`), 400, 'BAD_REQUEST', amount.slice(0, 10))
  }
  assert.deepEqual((await send('/amount', '{"amount":1e300}')).json, { got: { amount: 1e300 } })
})

test('a route without a body accepts an empty one, with or without a content type', async () => {
  assert.equal((await send('/logout', undefined, {})).status, 200)
  assert.equal((await send('/logout', '', json)).status, 200)
  assert.equal((await send('/logout', undefined, { ...json, 'content-length': '0' })).status, 200)
  assert.equal((await send('/logout', '{}', json)).status, 200)
})

/** A text body of exactly so many bytes, as JSON. */
const bodyOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
const mebibyte = 1024 * 1024

test('a body of one MiB is accepted, and one byte more is 413, with or without Content-Length', async () => {
  assert.equal((await send('/any', bodyOf(mebibyte))).status, 200)
  await refused(send('/any', bodyOf(mebibyte + 1)), 413, 'PAYLOAD_TOO_LARGE')
  const chunked = { ...json, 'transfer-encoding': 'chunked' }
  assert.equal((await send('/any', bodyOf(mebibyte), chunked)).status, 200)
  await refused(send('/any', bodyOf(mebibyte + 1), chunked), 413, 'PAYLOAD_TOO_LARGE')
})

test('a deeply nested body is 400', async () => {
  for (const depth of [33, 1000, 10_000, 500_000]) {
    await refused(send('/any', '['.repeat(depth) + ']'.repeat(depth)), 400, 'BAD_REQUEST', `${depth} lists`)
  }
  const objects = 10_000
  await refused(send('/any', `${'{"a":'.repeat(objects)}1${'}'.repeat(objects)}`), 400, 'BAD_REQUEST')
  assert.equal((await send('/any', '['.repeat(32) + ']'.repeat(32))).status, 200)
})

test('a name such as __proto__ is 400 at any depth', async () => {
  for (const body of [
    '{"__proto__":{"admin":true}}',
    '{"productId":"a","quantity":1,"__proto__":null}',
    '{"a":[{"b":{"__proto__":1}}]}',
    '{"\\u005f_proto__":1}',
  ]) {
    await refused(send('/any', body), 400, 'BAD_REQUEST', body)
  }
  const { json: answer } = await send('/any', '{"constructor":{"prototype":{"polluted":1}},"toString":1}')
  assert.deepEqual(answer, { got: { constructor: { prototype: { polluted: 1 } }, toString: 1 } })
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('text that the database cannot store is 400, as a value and as a name', async () => {
  for (const text of ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"a\\ud83e"']) {
    await refused(send('/any', text), 400, 'BAD_REQUEST', text)
    await refused(send('/any', `{"a":[${text}]}`), 400, 'BAD_REQUEST', text)
    await refused(send('/any', `{${text}:1}`), 400, 'BAD_REQUEST', text)
  }
  assert.deepEqual((await send('/any', '"\\ud83e\\uded6"')).json, { got: '🫖' })
})

test('bytes that are not UTF-8 are replaced or refused, never a server error', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0xff, 0xfe, 0x22],
  ]) {
    const { status, json: answer } = await send('/any', Buffer.from(bytes))
    assert.ok(status < 500, `${bytes}: ${status}`)
    if (status === 200) assert.match(String(answer.got), /^\ufffd+$/)
  }
})

test('the last of repeated names counts, and unknown names are ignored', async () => {
  const { json: answer } = await send('/line', '{"quantity":1,"productId":"a","quantity":3,"surplus":{"x":1}}')
  assert.equal((answer.got as typeof good).quantity, 3)
})
