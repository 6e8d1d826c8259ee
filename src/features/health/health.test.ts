import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { distantServiceFor, openLine } from '../../../test/outage.ts'
import { contracts } from '../../contract.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

test('a healthy service reports its version, uptime and components', async () => {
  const { status, json } = await service.call('/health')
  assert.equal(status, 200)
  const { uptime, ...rest } = json
  assert.deepEqual(rest, { status: 'ok', version, checks: { database: 'ok', listener: 'ok' } })
  assert.ok(uptime >= 0)
})

test('a service is unhealthy while its database is down', async (t) => {
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line } })
  assert.equal((await distant.call('/health')).status, 200)
  await line.cut()
  const away = await distant.call('/health')
  assertError(away, 503, 'SERVICE_UNAVAILABLE')
  assert.match(away.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  await line.mend()
  assert.equal((await distant.call('/health')).status, 200)
})

test('a database that hangs makes the service unhealthy, and the check still answers', async (t) => {
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line } })
  line.silence()
  assertError(await distant.call('/health'), 503, 'SERVICE_UNAVAILABLE')
  await line.mend()
  assert.equal((await distant.call('/health')).status, 200)
})

test('a lost listener is reported and does not make the service unhealthy', async (t) => {
  const [queries, news] = [await openLine(t), await openLine(t)]
  const distant = await distantServiceFor(t, { lines: { queries, news } })
  const listenerIs = async (state: string) => {
    const { status, json } = await distant.call('/health')
    assert.equal(status, 200)
    return json.checks.listener === state
  }
  await news.cut()
  while (!(await listenerIs('reconnecting')));
  await news.mend()
  while (!(await listenerIs('ok')));
})

/** As seen from a remote caller. */
const readMetricsFrom = (remoteAddress: string, headers: Record<string, string> = {}, from = service) =>
  from.app.server.inject({ url: '/metrics', remoteAddress, headers })

test('without a token, metrics are for local callers only', async () => {
  for (const address of ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal((await readMetricsFrom(address)).statusCode, 200, address)
  }
  for (const address of ['10.0.0.5', '192.168.1.127', '::ffff:10.0.0.5', '2001:db8::1', '128.127.0.1']) {
    const refused = await readMetricsFrom(address)
    assert.equal(refused.statusCode, 401, address)
    assert.deepEqual(Object.keys(refused.json()).sort(), ['code', 'error'])
    assert.equal(refused.json().code, 'UNAUTHORIZED')
  }
})

test('a local proxy does not make its callers local', async () => {
  for (const headers of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }] as const) {
    assertError(await service.call('/metrics', { headers: { ...headers } }), 401, 'UNAUTHORIZED')
  }
})

test('with the right token, metrics can be read from anywhere', async (t) => {
  const token = 'a token for figures'
  const guarded = await serviceFor(t, { metricsToken: token })
  const statusWith = async (headers: Record<string, string>) =>
    (await readMetricsFrom('203.0.113.9', headers, guarded)).statusCode
  assert.equal(await statusWith({ authorization: `Bearer ${token}` }), 200)
  assert.equal(await statusWith({ authorization: `bearer ${token}`, 'x-forwarded-for': '203.0.113.9' }), 200)
  for (const authorization of [`Bearer ${token}x`, 'Bearer', `Basic ${token}`, token]) {
    assert.equal(await statusWith({ authorization }), 401, authorization)
  }
  assert.equal(await statusWith({}), 401)
})

test('in production, local callers need the token too, since they may be a proxy', async (t) => {
  const token = 'a token for figures'
  const settings = { production: true, sms: { sender: 'console' } as const }
  const guarded = await serviceFor(t, { ...settings, metricsToken: token })
  assert.equal((await readMetricsFrom('127.0.0.1', {}, guarded)).statusCode, 401)
  assert.equal((await readMetricsFrom('127.0.0.1', { authorization: `Bearer ${token}` }, guarded)).statusCode, 200)
  const open = await serviceFor(t, settings)
  assert.equal((await readMetricsFrom('127.0.0.1', {}, open)).statusCode, 401)
})

test('responses are sent with nosniff, and the reference page cannot be framed or evaluate strings', async () => {
  const shop = await newStore(service)
  for (const path of ['/health', '/docs', '/openapi.json', '/v1/nothing', '/v1/store', '/v1/store', '/nothing']) {
    const { headers } = await shop.get(path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
  }
  const policy = (await service.call('/docs')).headers.get('content-security-policy') ?? ''
  for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"])
    assert.ok(policy.includes(rule))
  assert.doesNotMatch(policy, /unsafe-eval/)
})

const figuresOf = async (from: TestService) => (await from.call('/metrics')).text

const figure = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  )

test('requests are counted by route and status, cached ones included', async (t) => {
  const own = await serviceFor(t)
  const shop = await newStore(own)
  for (let i = 0; i < 3; i++) await shop.get('/v1/products')
  await shop.get('/v1/products?limit=0')
  await shop.get('/v1/products/some-product')
  await own.call('/v1/products')
  const text = await figuresOf(own)
  const count = (route: string, status: number) =>
    figure(text, `vitrine_http_requests_total{method="GET",route="${route}",status="${status}"}`)
  assert.equal(count('/v1/products', 200), 3)
  assert.equal(count('/v1/products', 400), 1)
  assert.equal(count('/v1/products', 401), 1)
  assert.equal(count('/v1/products/{idOrSlug}', 404), 1)
  const duration = 'vitrine_http_request_duration_seconds'
  assert.equal(figure(text, `${duration}_count{method="GET",route="/v1/products"}`), 5)
  assert.equal(figure(text, `${duration}_bucket{le="+Inf",method="GET",route="/v1/products"}`), 5)
  assert.ok(figure(text, `${duration}_bucket{le="10",method="GET",route="/v1/products"}`) <= 5)
  assert.ok(figure(text, `${duration}_sum{method="GET",route="/v1/products"}`) > 0)
})

test('histogram buckets are cumulative', async () => {
  await service.call('/health')
  const text = await figuresOf(service)
  const buckets = [...text.matchAll(/duration_seconds_bucket\{le="[^"]+",method="GET",route="\/health"\} (\d+)/g)]
  const values = buckets.map(([, value]) => Number(value))
  assert.ok(values.length > 5)
  assert.deepEqual(
    values,
    values.toSorted((a, b) => a - b),
  )
})

test('there are metrics of the pool, the cache, the event loop and memory', async () => {
  const text = await figuresOf(service)
  for (const name of [
    'vitrine_db_connections{state="total"}',
    'vitrine_db_connections{state="idle"}',
    'vitrine_db_connections{state="waiting"}',
    'vitrine_db_connections{state="queued"}',
    'vitrine_answer_cache{figure="entries"}',
    'vitrine_answer_cache{figure="bytes"}',
    'vitrine_answer_cache{figure="hits"}',
    'vitrine_answer_cache{figure="misses"}',
    'nodejs_eventloop_lag_seconds',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ]) {
    assert.ok(Number.isFinite(figure(text, name)), name)
  }
  for (const name of ['vitrine_http_requests_total', 'vitrine_http_request_duration_seconds']) {
    assert.ok(text.includes(`# HELP ${name} `) && text.includes(`# TYPE ${name} `), name)
  }
})

test('unknown paths make no series of their own', async (t) => {
  const own = await serviceFor(t)
  const shop = await newStore(own)
  const linesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('vitrine_')).length
  const linesBefore = linesOf(await figuresOf(own))
  for (let i = 0; i < 30; i++) {
    await own.call(`/made-up-${i}`)
    await shop.get(`/v1/made-up-${i}`)
    await shop.get(`/v1/products/made-up-${i}`)
    await shop.get(`/v1/%zz-made-up-${i}`)
  }
  const text = await figuresOf(own)
  assert.ok(!text.includes('made-up'))
  assert.equal(figure(text, 'vitrine_http_requests_total{method="GET",route="unknown",status="404"}'), 60)
  const known = contracts.flatMap((contract) => Object.values(contract).map(({ path }) => path))
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route as string))
  for (const route of routes) assert.ok([...known, 'unknown', 'other'].includes(route), route)
  // A few new series for the matched routes, not one for each path.
  assert.ok(linesOf(text) - linesBefore < 60)
})

test('the root path redirects browsers to the guide and is 404 for programs', async () => {
  const page = await service.call('/', { headers: { accept: 'text/html,application/xhtml+xml' } })
  assert.deepEqual([page.status, page.headers.get('location')], [302, '/docs/guide'])
  assertError(await service.call('/'), 404, 'NOT_FOUND')
})
