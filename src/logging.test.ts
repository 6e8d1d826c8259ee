import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertError,
  databaseUrl,
  internalSecret,
  newStore,
  startTestService,
  type TestService,
} from '../test/harness.ts'
import { distantServiceFor, openLine } from '../test/outage.ts'
import { makeInternalToken } from './features/access/internal-token.ts'
import { createLogger, redact } from './logging.ts'

let service: TestService
before(async () => {
  service = await startTestService({ logLevel: 'trace' })
})
after(() => service.close())

const phone = '+919876543210'

/** The lines logged during `work`. */
const linesDuring = async (work: () => Promise<unknown>) => {
  const from = service.logLines.length
  await work()
  return service.logLines.slice(from)
}

const assertHides = (lines: readonly string[], secrets: readonly string[]) => {
  assert.ok(lines.length > 0, 'something was logged')
  for (const line of lines) for (const secret of secrets) assert.ok(!line.includes(secret), line)
}

test('no key, token or phone number reaches the log, wherever in a request it is sent', async () => {
  const shop = await newStore(service)
  const bearer = 'ses_0123456789abcdefghjkmnpqrstv'
  const token = makeInternalToken(shop.storeId, Math.floor(Date.now() / 1000) + 60, internalSecret)
  const cart = 'cart_3v8m7q2w9c4t6y8zabcdefghjk'
  const secrets = [shop.key, shop.browserKey, shop.logisticsKey, bearer, token, cart, phone, encodeURIComponent(phone)]
  const hidden = [...secrets, cart.slice(5), bearer.slice(4)]
  const lines = await linesDuring(async () => {
    await shop.get('/v1/products')
    await shop.get('/v1/products')
    await shop.get('/v1/products', { authorization: `Bearer ${bearer}` })
    await service.call('/v1/store', { headers: { 'x-internal-storefront-token': token } })
    await service.call('/v1/store', { headers: { 'x-internal-storefront-token': `${token}x` } })
    await service.call('/v1/store', { headers: { 'x-store-key': `${shop.key}x` } })
    for (const secret of secrets) {
      await shop.get(`/v1/search?q=${secret}`)
      await shop.get(`/v1/products?cursor=${secret}`)
      await shop.get(`/v1/products?limit=${secret}`)
      await shop.get(`/v1/products/${secret}`)
      await shop.get(`/v1/products/%20${secret}`)
      await shop.get(`/v1/products/%zz${secret}`)
      await shop.get(`/v1/${secret}`)
      await shop.get(`/v1/${secret.replace('_', '%5F')}`)
      await shop.get(`/v1/${secret.replace('_', '%255f')}`)
      await shop.get(`/v1/%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`)
      await service.call(`/${secret}`, { headers: { 'x-request-id': secret } })
      await shop.get('/v1/products', { 'x-outlet-id': secret })
      await shop.get('/v1/products', { origin: `https://${secret}.example` })
      const body = JSON.stringify({ phone, otp: '123456', password: secret })
      await service.call('/v1/nothing', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    }
  })
  assertHides(lines, [...hidden, '123456'])
})

test('a failing database does not put its password into the log', async (t) => {
  const { password } = new URL(databaseUrl)
  if (password === '') return t.skip('the address of the database has no password')
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line }, logLevel: 'trace' })
  const { key } = await newStore(service)
  await line.cut()
  const { status } = await distant.call('/v1/products', { headers: { 'x-store-key': key } })
  assert.equal(status, 503)
  assertHides(distant.logLines, [password, decodeURIComponent(password), key])
})

test('a failed request is logged with the id that its caller received', async (t) => {
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line } })
  await line.cut()
  const { status, headers } = await distant.call('/v1/products', {
    headers: { 'x-store-key': `vsk_${'0'.repeat(32)}` },
  })
  assert.equal(status, 503)
  const id = headers.get('x-request-id')
  const named = distant.logLines.map((text) => JSON.parse(text)).filter(({ req }) => req === id)
  const [failure, summary] = named
  assert.ok(failure.err.message && failure.err.stack, 'the cause is logged')
  assert.deepEqual(
    { msg: failure.msg, method: failure.method, path: failure.path, code: failure.code },
    { msg: 'service unavailable', method: 'GET', path: '/v1/products', code: 'SERVICE_UNAVAILABLE' },
  )
  assert.deepEqual(
    { msg: summary.msg, method: summary.method, path: summary.path, status: summary.status, code: summary.code },
    { msg: 'request', method: 'GET', path: '/v1/products', status: 503, code: 'SERVICE_UNAVAILABLE' },
  )
})

test('a refused request is logged as one line without its query', async () => {
  const id = 'refused-request'
  const lines = await linesDuring(() =>
    service.call('/v1/search?q=something+private', { headers: { 'x-request-id': id } }),
  )
  const own = lines.filter((line) => line.includes(id))
  assert.equal(own.length, 1)
  assert.ok(own[0]?.includes('"path":"/v1/search"'))
  assert.ok(!lines.some((line) => line.includes('private')))
})

test('a refused request is logged with the error code and the store', async () => {
  const shop = await newStore(service)
  const lines = await linesDuring(() => shop.get('/v1/products/no-such-product'))
  const [line] = lines.map((text) => JSON.parse(text)).filter(({ status }) => status === 404)
  assert.deepEqual({ code: line.code, storeId: line.storeId }, { code: 'NOT_FOUND', storeId: shop.storeId })
})

test('a valid X-Request-Id of the caller is returned', async () => {
  const shop = await newStore(service)
  for (const id of ['abc', 'A-b_c.d:1', '0123456789'.repeat(6), 'f47ac10b-58cc-4372-a567-0e02b2c3d479']) {
    for (const path of ['/v1/products', '/v1/products', '/health', '/v1/nothing', '/v1/%zz']) {
      const { headers } = await shop.get(path, { 'x-request-id': id })
      assert.equal(headers.get('x-request-id'), id, path)
    }
  }
})

test('an invalid X-Request-Id is replaced by a new one', async () => {
  const shop = await newStore(service)
  const strange = ['', 'x'.repeat(65), 'a b', 'a"b', '<script>', '{"a":1}', 'a,b', 'é']
  const given = new Set<string>()
  for (const id of strange) {
    for (const path of ['/v1/products', '/health']) {
      const { headers } = await shop.get(path, { 'x-request-id': id })
      const answered = headers.get('x-request-id') ?? ''
      assert.match(answered, /^[\w.:-]{1,64}$/)
      assert.notEqual(answered, id)
      given.add(answered)
    }
  }
  assert.equal(given.size, strange.length * 2)
})

test('redaction hides secrets and leaves the rest of a line unchanged', () => {
  const cases: [string, string][] = [
    ['key vsk_0123456789abcdef ok', 'key [hidden] ok'],
    ['"vpk_abc.def-ghi"', '"[hidden]"'],
    ['vlk_x gst_y ses_z', '[hidden] [hidden] [hidden]'],
    ['VSK_ABCDEF', '[hidden]'],
    ['line\\nvsk_0123456789abcdef', 'line\\n[hidden]'],
    ['%20vsk_0123456789abcdef', '%20[hidden]'],
    ['/cart/cart%5F3v8m7q2w9c4t6y8zabcdefghjk', '/cart/[hidden]'],
    ['gst%5f0123456789abcdef', '[hidden]'],
    ['authorization: Bearer abc.def+/=~', 'authorization: Bearer [hidden]'],
    ['key sk_live_51Habc, rk_test_51Habc.', 'key [hidden], [hidden].'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw rzp_live_ILgsfZCZoFIKMb', '[hidden] [hidden]'],
    ['line\\nrzp_test_ILgsfZCZoFIKMb', 'line\\n[hidden]'],
    ['sk%5Ftest%5F51Habc', '[hidden]'],
    ['eyJzdG9yZUlkIjoiYSJ9.c2lnbmF0dXJl', '[hidden]'],
    ['postgres://me:s3cr%40t@db.example/shop', 'postgres://me:[hidden]@db.example/shop'],
    ['redis://:s3cret@cache:6379', 'redis://:[hidden]@cache:6379'],
    ['to +919876543210.', 'to +[hidden]210.'],
    ['/products/%2B919876543210', '/products/%2B[hidden]210'],
    ['call +14155550123 or +442071838750', 'call +[hidden]123 or +[hidden]750'],
  ]
  for (const [line, expected] of cases) assert.equal(redact(line), expected)
  for (const line of [
    '{"time":1763175600000,"msg":"responses_total was 12, uses_redis"}',
    'GET http://127.0.0.1:3000/v1/products?limit=20',
    'price +10 and +200',
    'store_01k8x0v3m7q2w9c4t6y8ze',
    'task_test_one, sk_other',
  ]) {
    assert.equal(redact(line), line)
  }
})

test('text that a caller chose is cut short before it is logged', async () => {
  const long = 'x'.repeat(15_000)
  const origin = `https://${'o'.repeat(10_000)}.example`
  const shop = await newStore(service)
  const lines = await linesDuring(async () => {
    assertError(await service.call(`/${long}`), 404, 'NOT_FOUND')
    assertError(await shop.get('/v1/store', { origin }), 403, 'FORBIDDEN')
  })
  const refused = lines.filter((line) => line.includes('"msg":"request"'))
  assert.equal(refused.length, 2)
  for (const line of refused) assert.ok(line.length < 600, line)
})

test('an error is logged by type, message, code, stack and cause, a request by its id, and nothing more', () => {
  const lines: string[] = []
  const logger = createLogger({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) })
  const cause = Object.assign(new TypeError('inner'), { code: 'E1', input: 'private' })
  logger.error({ err: Object.assign(new Error('outer', { cause }), { parameters: ['private'] }) }, 'it failed')
  logger.error({ err: 'only text' }, 'it failed')
  logger.info({ req: { id: 'a-request', headers: { 'x-store-key': 'private' } } }, 'a request')
  assert.ok(!lines.some((line) => line.includes('private')))
  assert.equal(JSON.parse(lines[2] ?? '').req, 'a-request')
  const [first, second] = lines.map((line) => JSON.parse(line))
  assert.equal(first.err.message, 'outer')
  assert.equal(first.err.cause.type, 'TypeError')
  assert.equal(first.err.cause.code, 'E1')
  assert.deepEqual(second.err, { message: 'only text' })
})

test('lines below the log level are dropped', () => {
  const lines: string[] = []
  const logger = createLogger({ logLevel: 'warn' }, { write: (line: string) => void lines.push(line) })
  logger.info('quiet')
  logger.warn('loud')
  assert.equal(lines.length, 1)
  assert.equal(JSON.parse(lines[0] ?? '').msg, 'loud')
})
