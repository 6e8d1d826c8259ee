import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { assertError, newStore, serviceFor, startTestService, type TestService } from '../../../test/harness.ts'
import { minutes } from '../../core/clock.ts'
import { revokeKey } from '../stores/stores.ts'
import { makeInternalToken, readInternalToken } from './internal-token.ts'

const [oldSecret, newSecret] = ['the old secret, 32 characters long', 'the new secret, 32 characters löng']

let service: TestService
before(async () => {
  service = await startTestService({ internalSecrets: [newSecret, oldSecret] })
})
after(() => service.close())

const expIn = (seconds: number, instance = service) => Math.floor(instance.clock.now() / 1000) + seconds

const callAs = (token: string, headers: Record<string, string> = {}, path = '/v1/store') =>
  service.call(path, { headers: { 'x-internal-storefront-token': token, ...headers } })

const assertRefused = async (token: string, headers?: Record<string, string>) =>
  assertError(await callAs(token, headers), 401, 'UNAUTHORIZED')

test('a token is base64url of {storeId, exp}, a dot, and base64url of its HMAC-SHA256', async () => {
  const { storeId } = await newStore(service)
  const exp = expIn(300)
  const payload = Buffer.from(`{"storeId":"${storeId}","exp":${exp}}`).toString('base64url')
  const signature = createHmac('sha256', Buffer.from(newSecret, 'utf8')).update(payload).digest('base64url')
  assert.equal(makeInternalToken(storeId, exp, newSecret), `${payload}.${signature}`)
  const { status, json } = await callAs(`${payload}.${signature}`)
  assert.equal(status, 200)
  assert.equal(json.id, storeId)
})

test('the signature covers the first part as sent, so any JSON formatting is accepted', async () => {
  const { storeId } = await newStore(service)
  const written = `{ "exp": ${expIn(300)}.5, "storeId": "${storeId}", "iss": "php" }`
  const payload = Buffer.from(written).toString('base64url')
  const signature = createHmac('sha256', newSecret).update(payload).digest('base64url')
  assert.equal((await callAs(`${payload}.${signature}`)).status, 200)
})

test('during a rotation, tokens signed with either secret are accepted', async () => {
  const { storeId } = await newStore(service)
  assert.equal((await callAs(makeInternalToken(storeId, expIn(60), oldSecret))).status, 200)
  assert.equal((await callAs(makeInternalToken(storeId, expIn(60), newSecret))).status, 200)
})

test('without a configured secret every token is refused, also one signed with an empty secret', async (t) => {
  const closed = await serviceFor(t, { internalSecrets: [] })
  const { storeId } = await newStore(closed)
  const token = makeInternalToken(storeId, expIn(60, closed), '')
  const headers = { 'x-internal-storefront-token': token }
  assertError(await closed.call('/v1/store', { headers }), 401, 'UNAUTHORIZED')
})

test('a token has every scope', async () => {
  const { storeId } = await newStore(service)
  const token = makeInternalToken(storeId, expIn(60), newSecret)
  for (const path of ['/v1/store', '/v1/menu', '/v1/products', '/v1/search?q=x']) {
    assert.equal((await callAs(token, {}, path)).status, 200, path)
  }
})

test('a token has no rate limit, and responses have no rate headers', async () => {
  const shop = await newStore(service)
  const token = makeInternalToken(shop.storeId, expIn(60), newSecret)
  const answers = await Promise.all(Array.from({ length: 70 }, () => callAs(token)))
  for (const { status, headers } of answers) {
    assert.equal(status, 200)
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) assert.ok(!headers.has(name))
  }
})

test('a token can be sent with a key of the same store, and the key is not counted', async () => {
  const shop = await newStore(service)
  const { key } = await shop.newKey({ rateLimit: 5 })
  const token = makeInternalToken(shop.storeId, expIn(60), newSecret)
  for (let i = 0; i < 10; i++) assert.equal((await callAs(token, { 'x-store-key': key })).status, 200)
  const { headers } = await service.call('/v1/store', { headers: { 'x-store-key': key } })
  assert.equal(headers.get('ratelimit-remaining'), '4')
})

test('a signed token with a malformed store id is refused', async () => {
  for (const storeId of ['store_\0', 'store_', '', `store_${'x'.repeat(10_000)}`, "store_' or true"]) {
    await assertRefused(makeInternalToken(storeId, expIn(60), newSecret))
  }
})

test('a token sent with an unknown key, a revoked key or a key of another store is refused', async () => {
  const shop = await newStore(service)
  const other = await newStore(service)
  const token = makeInternalToken(shop.storeId, expIn(60), newSecret)
  await assertRefused(token, { 'x-store-key': other.key })
  await assertRefused(token, { 'x-api-key': other.key })
  await assertRefused(token, { 'x-store-key': 'vsk_unknown' })
  const { id, key } = await shop.newKey()
  await service.db.tx((tx) => revokeKey(tx, id))
  await assertRefused(token, { 'x-store-key': key })
})

test('a token from a browser is refused, even from an origin of the store', async () => {
  const { storeId } = await newStore(service, { origins: ['https://token.example'] })
  const token = makeInternalToken(storeId, expIn(60), newSecret)
  await assertRefused(token, { origin: 'https://token.example' })
  await assertRefused(token, { origin: 'http://vitrine.test' })
})

test('a token is valid for at most one hour', async (t) => {
  const own = await serviceFor(t)
  const { storeId } = await newStore(own)
  const secret = 'an internal secret that only tests know'
  const exp = Math.ceil(own.clock.now() / 1000) + 3600
  const headers = { 'x-internal-storefront-token': makeInternalToken(storeId, exp, secret) }
  const status = async () => (await own.call('/v1/store', { headers })).status
  own.clock.advance(minutes(1))
  assert.equal(await status(), 200)
  own.clock.advance(minutes(58))
  assert.equal(await status(), 200)
  own.clock.advance(minutes(1) + 1_000)
  assert.equal(await status(), 401)
})

test('the expiry of a token is exact to the second', () => {
  const now = 1_800_000_000
  const storeOf = (exp: number) =>
    readInternalToken(makeInternalToken('store_a', exp, newSecret), [newSecret], now * 1000)
  assert.equal(storeOf(now), null)
  assert.equal(storeOf(now + 1), 'store_a')
  assert.equal(storeOf(now + 3600), 'store_a')
  assert.equal(storeOf(now + 3601), null)
})

test('every malformed token gets the same 401', async () => {
  const { storeId, key } = await newStore(service)
  const good = makeInternalToken(storeId, expIn(60), newSecret)
  const [payload = '', signature = ''] = good.split('.')
  const sign = (text: string) => {
    const part = Buffer.from(text).toString('base64url')
    return `${part}.${createHmac('sha256', newSecret).update(part).digest('base64url')}`
  }
  const garbage = [
    '',
    '.',
    '..',
    payload,
    `${payload}.`,
    `.${signature}`,
    `${good}.`,
    `${good}.${signature}`,
    `${payload}.${signature.slice(0, -2)}`,
    `${payload}A.${signature}`,
    `${payload}.${'A'.repeat(43)}`,
    `${payload}.${'x'.repeat(5000)}`,
    'not base64 at all!',
    sign('not JSON'),
    sign('null'),
    sign('[]'),
    sign('"text"'),
    sign(`{"storeId":"${storeId}"}`),
    sign(`{"storeId":"${storeId}","exp":"${expIn(60)}"}`),
    sign(`{"storeId":"${storeId}","exp":null}`),
    sign(`{"storeId":"${storeId}","exp":1e999}`),
    sign(`{"storeId":12,"exp":${expIn(60)}}`),
    sign(`{"storeId":["${storeId}"],"exp":${expIn(60)}}`),
    sign(`{"storeId":"","exp":${expIn(60)}}`),
  ]
  const texts = new Set<string>()
  for (const token of garbage) {
    const answer = await callAs(token)
    assertError(answer, 401, 'UNAUTHORIZED')
    texts.add(answer.text)
    await assertRefused(token, { 'x-store-key': key })
  }
  assert.equal(texts.size, 1)
  assert.equal((await callAs(good)).status, 200)
})
