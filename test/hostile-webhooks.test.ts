import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import type { TObject } from 'typebox'
import { minutes } from '../src/core/clock.ts'
import { basic } from '../src/features/payments/fixture.ts'
import { takeThird } from './combinations.ts'
import { assertError, startServiceApart, type TestService } from './harness.ts'
import { keyHeader, keyOf } from './keyed-provider.ts'
import { notJson, oddTexts, spotsOf, typesOf } from './spoilt-bodies.ts'
import {
  addressOf,
  assertDocumented,
  cheapPasswords,
  describe,
  fewAtOnce,
  headersOf,
  isTaken,
  open,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
} from './world.ts'

/**
 * Anyone can call the address of a webhook. A call without valid credentials does nothing, and with
 * them it stays within its own store. Spoilt bodies are in test/hostile-fields.test.ts, with those of all endpoints.
 */
let service: TestService
let world: World
let neighbour: World
before(async () => {
  service = await startServiceApart({ passwords: cheapPasswords })
  world = await openWorld(service)
  neighbour = await openWorld(service)
})
/** Each test has the failed attempts of a minute for itself. */
beforeEach(() => service.clock.advance(minutes(1)))
after(() => service.close())

const webhooks = open.filter(({ path }) => path.startsWith('/webhook/'))

type Headers = Record<string, string | undefined>

const garbage = [
  ...['', ' ', ',', 'a b', '\xff\xfe', '__proto__', 'null', '{}', '%00', '*', "' or '1'='1", 'vlk_', 'x'.repeat(5_000)],
  ...['Basic', 'Basic ', 'Basic :', 'Basic Og==', 'Basic AAAA', 'Basic /////w==', `Basic ${'A'.repeat(5_000)}`],
]

/** Headers that must not open a webhook, by the name of the one that it reads first. */
const badCredentials: Record<string, () => Headers[]> = {
  authorization: () => {
    const { shop } = world
    const { username, password } = shop.paymentWebhook
    const other = neighbour.shop.paymentWebhook
    return [
      ...[...garbage, undefined, `Bearer ${password}`, password, shop.key].map((authorization) => ({ authorization })),
      ...[...garbage, undefined, 'store_nobody', neighbour.shop.storeId].map((id) => ({ 'x-store-id': id })),
      ...[
        ...[basic(other.username, other.password), basic(username, other.password), basic(other.username, password)],
        ...[basic(username, ''), basic('', password), basic('', shop.logisticsKey), basic('sandbox', password)],
        ...[basic(username, `${password} `), basic(username, `${password}\0`), basic(username.toUpperCase(), password)],
        ...[basic(`${username}:`, password), `${basic(username, password)}, ${basic(username, password)}`],
      ].map((authorization) => ({ authorization })),
      { authorization: basic(other.username, other.password), 'x-store-id': `${shop.storeId}, ${shop.storeId}` },
    ]
  },
  [keyHeader]: () =>
    [...garbage, undefined, keyOf(neighbour.shop.storeId), world.shop.key].map((key) => ({ [keyHeader]: key })),
  'x-api-key': () => {
    const { key, logisticsKey, storeId, paymentWebhook, browserKey } = world.shop
    const keys = [...garbage, undefined, key, browserKey, storeId, paymentWebhook.password, `${logisticsKey}x`]
    keys.push(logisticsKey.toUpperCase(), `${logisticsKey}, ${logisticsKey}`, logisticsKey.slice(0, -1))
    keys.push(`vlk_${storeId}.`, `vlk_${storeId}.${'A'.repeat(22)}`, `vlk_${storeId}.sig.sig`)
    return [...keys.map((bad) => ({ 'x-api-key': bad })), { 'x-api-key': undefined, 'x-store-key': logisticsKey }]
  },
}

const badCredentialsFor = ({ endpoint, credentials }: Prepared) => {
  const name = Object.keys(badCredentials).find((header) => header in credentials)
  assert.ok(name, `${describe(endpoint)}: say in badCredentials of this test what must not open it`)
  return badCredentials[name]?.() ?? []
}

test('a webhook without valid credentials is 401, and stores and changes nothing', async () => {
  assert.ok(webhooks.length > 2)
  for (const endpoint of webhooks) {
    const call = await prepare(world, endpoint)
    const before = [await rowsOf(world), await rowsOf(neighbour)]
    await fewAtOnce(badCredentialsFor(call), async (headers) => {
      const answer = await send(call, { headers })
      assert.equal(answer.status, 401, `${describe(endpoint)}, ${JSON.stringify(headers)}: ${answer.text}`)
      assertError(answer, 401, 'UNAUTHORIZED')
    })
    assert.deepEqual([await rowsOf(world), await rowsOf(neighbour)], before, describe(endpoint))
    const answer = await send(call)
    assert.ok(isTaken(endpoint, answer), answer.text)
  }
})

test('a webhook without credentials stores no body', async () => {
  const bodies = [...notJson, '{}', '[]', 'null', '"text"', '{"eventId":"e"}', '{"__proto__":1}', 'x'.repeat(100_000)]
  for (const endpoint of webhooks) {
    const call = { ...(await prepare(world, endpoint)), credentials: {} }
    const before = await rowsOf(world)
    await fewAtOnce(bodies, async (body) => {
      for (const type of ['application/json', 'text/plain']) {
        const answer = await post(call, body, { 'content-type': type })
        // Which provider is meant stands in the address, which is read together with the body.
        const expected = endpoint.params === undefined ? [401] : [400, 401, 415]
        assert.ok(expected.includes(answer.status), `${describe(endpoint)}, ${body.slice(0, 50)}: ${answer.text}`)
      }
    })
    assert.deepEqual(await rowsOf(world), before, describe(endpoint))
  }
})

const post = async (call: Prepared, body: string, headers: Headers = {}) => {
  const sent = { method: call.endpoint.method, headers: headersOf(call, headers), body }
  const answer = await service.call(addressOf(call), sent)
  assertDocumented(call.endpoint, answer)
  return answer
}

/** The tables that store received events. */
const isKept = (row: string) => /^(payment_event|delivery_event) /.test(row)
const rowsBesides = async (isLeftOut: (row: string) => boolean) =>
  (await rowsOf(world)).filter((row) => !isLeftOut(row))

let count = 0
/** Each gets its own id, unless the id is the unusual value. */
const withNewId = (body: string, name: string) =>
  name === '/eventId' ? body : body.replace(/"eventId":"[^"]*"/, `"eventId":"odd-${++count}"`)

test('unusual text in an event causes no server error, and a refused event is stored and changes nothing else', async () => {
  const withFields = webhooks.filter(({ body }) => Object.keys((body as TObject).properties).length > 0)
  assert.ok(withFields.length > 1)
  for (const endpoint of withFields) {
    const call = await prepare(world, endpoint)
    const events = spotsOf(call).flatMap(({ name, shape, write }) => {
      const longest = ['x', '🫖', '1'].map((letter) => letter.repeat(shape.maxLength ?? 1))
      const texts = [...oddTexts, ...longest, ...(/At$|Delivery$/.test(name) ? oddTimes : [])]
      const values: (string | number)[] = typesOf(shape).includes('string') ? texts : oddAmounts
      return takeThird(`${values.length} values`, values).map((value) => ({ name, body: write(JSON.stringify(value)) }))
    })
    const refused: typeof events = []
    await fewAtOnce(events, async ({ name, body }) => {
      const { status } = await post(call, withNewId(body, name))
      if (status >= 400) refused.push({ name, body })
    })
    assert.ok(refused.length > 6 && refused.length < events.length, describe(endpoint))
    const before = await rowsBesides(isKept)
    await fewAtOnce(refused, async ({ name, body }) => {
      const { status } = await post(call, withNewId(body, name))
      assert.ok(status >= 400, `${describe(endpoint)} accepts ${body} the second time`)
    })
    assert.deepEqual(await rowsBesides(isKept), before, describe(endpoint))
  }
})

const oddAmounts = [0, -0, 1e-9, 0.1 + 0.2, 5e-324, 1e11, 999_999_999_999.99]
const oddTimes = [
  ...['0000-01-01', '+275760-09-13T00:00:00Z', '9999-12-31T23:59:60Z', '2026-02-31', '2026-13-01T00:00:00Z', 'now'],
  ...['2026-01-01T00:00:00[UTC]', '-000001-01-01', '1e3', 'Thu, 01 Jan 1970 00:00:00 GMT', '10000-01-01T00:00:00Z'],
]

test('events at the address of a provider are 200 and stored, and change only what they should', async () => {
  const endpoint = webhooks.find(({ name }) => name === 'providerWebhook')
  assert.ok(endpoint)
  const call = await prepare(world, endpoint)
  const [good] = call.bodies as [Record<string, unknown>]
  const before = await rowsBesides(isKept)
  const wrong = [
    null,
    1,
    true,
    [],
    {},
    '',
    ' ',
    'toString',
    '\u202e',
    'x'.repeat(10_000),
    [good],
    { status: 'success' },
  ]
  for (const name of ['orderId', 'status', 'amount', 'currency'])
    for (const value of wrong) {
      const answer = await post(call, JSON.stringify({ ...good, eventId: `wrong-${++count}`, [name]: value }))
      assert.deepEqual([answer.status, answer.json], [200, { received: true, duplicate: false }], `${name} ${value}`)
    }
  // Text that is as good as random cannot be packed into what an index has room for.
  const long = randomBytes(20_000).toString('base64')
  for (const orderId of ['x', good.orderId, long])
    for (const status of ['pending', 'x', long])
      assert.equal((await post(call, JSON.stringify({ eventId: long + count++, orderId, status }))).status, 200)
  for (const eventId of wrong) assert.equal((await post(call, JSON.stringify({ eventId, orderId: 'x' }))).status, 200)
  assert.deepEqual(await rowsBesides(isKept), before)
  assert.equal((await post(call, JSON.stringify(good))).status, 200)
  assert.notDeepEqual(await rowsBesides(isKept), before)
})

test('events of two stores are independent, even with the same id', async () => {
  for (const endpoint of webhooks) {
    const [here, there] = [await prepare(world, endpoint), await prepare(neighbour, endpoint)]
    const eventId = `shared-${endpoint.name}`
    for (const call of [here, there]) {
      const { json } = await send(call, { body: { ...call.bodies[0], eventId } })
      assert.deepEqual(json, { received: true, duplicate: false }, describe(endpoint))
    }
    const { json } = await send(there, { body: { ...there.bodies[0], eventId } })
    assert.deepEqual(json, { received: true, duplicate: true }, describe(endpoint))
  }
})

test('no request of this file caused a server error', () => {
  assert.deepEqual(
    service.logLines.filter((line) => JSON.parse(line).level >= 50),
    [],
  )
})
