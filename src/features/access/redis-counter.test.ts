import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newStore, serviceFor, type TestService, withinASecond } from '../../../test/harness.ts'
import { lacksRedis, redisFor, sparePort } from '../../../test/redis.ts'
import { windowMs } from './rate-limit.ts'

const lack = 'there is no redis-server on this machine'

/** Two instances with the same clock, at the beginning of a minute. */
const twoServices = async (t: TestContext, redisUrl: string) => {
  const shared = { redisUrl, redisPrefix: 'shared' }
  const services = [await serviceFor(t, shared), await serviceFor(t, shared)] as const
  const ms = windowMs - (Date.now() % windowMs)
  for (const { clock } of services) clock.advance(ms)
  return services
}

const statusesOf = async (services: readonly TestService[], key: string, times: number) => {
  const headers = { 'x-store-key': key }
  const calls = Array.from({ length: times }, (_, i) => services[i % services.length]?.call('/v1/store', { headers }))
  return (await Promise.all(calls)).map((answer) => answer?.status)
}

const countOf = (statuses: unknown[], status: number) => statuses.filter((each) => each === status).length

const linesWith = ({ logLines }: TestService, text: string) => logLines.filter((line) => line.includes(text)).length

test('exactly 60 of 300 concurrent requests on two instances are admitted', async (t) => {
  if (lacksRedis()) return t.skip(lack)
  const redis = await redisFor(t)
  await redis.start()
  const services = await twoServices(t, redis.url)
  const { serverKey } = await newStore(services[0])
  const statuses = await statusesOf(services, serverKey, 300)
  assert.equal(countOf(statuses, 200), 60)
  assert.equal(countOf(statuses, 429), 240)
})

test('cached responses are counted for all instances too', async (t) => {
  if (lacksRedis()) return t.skip(lack)
  const redis = await redisFor(t)
  await redis.start()
  const services = await twoServices(t, redis.url)
  const shop = await newStore(services[0])
  const { key } = await shop.newKey({ rateLimit: 20 })
  for (let i = 0; i < 20; i++) assert.deepEqual(await statusesOf([services[i % 2] as TestService], key, 1), [200])
  assert.deepEqual(await statusesOf(services, key, 2), [429, 429])
})

test('uncounting on one instance applies to all instances', async (t) => {
  if (lacksRedis()) return t.skip(lack)
  const redis = await redisFor(t)
  await redis.start()
  const [first, second] = (await twoServices(t, redis.url)).map(({ app }) => app.services)
  assert.ok(first && second)
  const [length, now] = [windowMs, first.clock.now()]
  assert.deepEqual([await first.counter.count('x', length, now), await second.counter.count('x', length, now)], [1, 2])
  await first.counter.uncount('x', length, now)
  assert.equal(await second.counter.count('x', length, now), 2)
})

test('while Redis is unavailable requests are served, the outage is logged once, and shared counting resumes afterwards', async (t) => {
  if (lacksRedis()) return t.skip(lack)
  const redis = await redisFor(t)
  await redis.start()
  const services = await twoServices(t, redis.url)
  const [first] = services
  const shop = await newStore(first)
  const { key } = await shop.newKey({ rateLimit: 50 })
  assert.equal(countOf(await statusesOf(services, key, 10), 200), 10)

  await redis.stop()
  const during = await statusesOf([first], key, 60)
  assert.equal(countOf(during, 200), 50, 'this instance counts on its own')
  assert.equal(countOf(during, 429), 10)
  assert.equal(linesWith(first, 'Redis unavailable'), 1)

  await redis.start()
  for (const service of services) await assertFindsRedisAgain(service, key)
  for (const { clock } of services) clock.advance(windowMs)
  const after = await statusesOf(services, key, 100)
  assert.equal(countOf(after, 200), 50, 'both count together again')
  assert.equal(linesWith(first, 'Redis unavailable'), 1)
})

/** The client reconnects with a backoff of up to five seconds. */
const assertFindsRedisAgain = async (service: TestService, key: string) => {
  const found = async () => {
    await statusesOf([service], key, 1)
    return linesWith(service, 'Redis available') === 1
  }
  for (let tries = 0; tries < 10; tries++) if (await withinASecond(found)) return
  assert.fail('the service did not reconnect to Redis')
}

test('a hanging Redis does not block requests', async (t) => {
  if (lacksRedis()) return t.skip(lack)
  const redis = await redisFor(t)
  await redis.start()
  const [service] = await twoServices(t, redis.url)
  const shop = await newStore(service)
  assert.deepEqual(await statusesOf([service], shop.key, 1), [200])
  redis.freeze()
  assert.equal(countOf(await statusesOf([service], shop.key, 20), 200), 20)
  assert.equal(linesWith(service, 'Redis unavailable'), 1)
  redis.thaw()
  await assertFindsRedisAgain(service, shop.key)
})

test('the service starts and serves requests when the configured Redis is unreachable', async (t) => {
  const service = await serviceFor(t, { redisUrl: `redis://127.0.0.1:${await sparePort()}` })
  const { serverKey } = await newStore(service)
  const statuses = await statusesOf([service], serverKey, 10)
  assert.equal(countOf(statuses, 200), 10)
  assert.equal(linesWith(service, 'Redis unavailable'), 1)
})

test('instances with the same REDIS_URL share counts', async (t) => {
  const { REDIS_URL } = process.env
  if (REDIS_URL === undefined) return t.skip('REDIS_URL names no Redis')
  const services = await twoServices(t, REDIS_URL)
  const { serverKey } = await newStore(services[0])
  assert.equal(countOf(await statusesOf(services, serverKey, 300), 200), 60)
})
