import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { combine } from './combinations.ts'
import { type Answer, startServiceApart, type TestService } from './harness.ts'
import { notJson, spoil, spotsOf } from './spoilt-bodies.ts'
import {
  addressOf,
  assertDocumented,
  cheapPasswords,
  describe,
  endpoints,
  fewAtOnce,
  guarded,
  headersOf,
  isTaken,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
} from './world.ts'

/**
 * Every body of the contract, broken in every way that can be derived from its schema. The answer is always documented,
 * never a server error, and a refused request changes nothing.
 */
let service: TestService
let world: World
before(async () => {
  service = await startServiceApart({ passwords: cheapPasswords })
  world = await openWorld(service)
})
after(() => service.close())

const withBody = endpoints.filter(({ body }) => body !== undefined)
const withoutBody = guarded.filter(({ body, method }) => body === undefined && method !== 'GET')

const sendText = async (call: Prepared, body: string, headers: Record<string, string | undefined> = {}) => {
  const answer = await service.call(addressOf(call), {
    method: call.endpoint.method,
    headers: headersOf(call, { 'content-type': 'application/json', ...headers }),
    body,
  })
  assertDocumented(call.endpoint, answer)
  return answer
}

const assertRefused = ({ status, json, text }: Answer, expected: [number, string], what: string) =>
  assert.deepEqual([status, json?.code], expected, `${what}: ${text.slice(0, 300)}`)

const badRequest: [number, string] = [400, 'BAD_REQUEST']

/** The inbox keeps what a provider sends, also when no event can be read from it. */
const isKeptInInbox = (row: string) => row.startsWith('payment_event ') && row.includes(',malformed,')

const rowsBesidesInbox = async () => (await rowsOf(world)).filter((row) => !isKeptInInbox(row))

/** Checks that the attempts change nothing, and that the valid call still succeeds afterwards. */
const assertUnharmed = async (call: Prepared, attempts: () => Promise<unknown>) => {
  const before = await rowsBesidesInbox()
  await attempts()
  assert.deepEqual(await rowsBesidesInbox(), before, describe(call.endpoint))
  for (const body of call.bodies.length > 0 ? call.bodies : [undefined]) {
    const answer = await send(call, { body })
    assert.ok(isTaken(call.endpoint, answer), `${describe(call.endpoint)}: ${answer.status} ${answer.text}`)
  }
}

test('a body with one error is refused as documented, and changes nothing', async () => {
  assert.ok(withBody.length > 0)
  const tried = new Set<object>()
  for (const endpoint of withBody) {
    const call = await prepare(world, endpoint)
    const byWhy = {
      schema: endpoint.invalidInput === 422 ? ([422, 'UNPROCESSABLE_ENTITY'] as [number, string]) : badRequest,
      unstorable: badRequest,
    }
    await assertUnharmed(call, () =>
      fewAtOnce(spoil(call, tried), async ({ what, text, why }) =>
        assertRefused(await sendText(call, text), byWhy[why], `${describe(endpoint)}, ${what}`),
      ),
    )
  }
})

test('validating a coupon accepts any object and uses nothing up', async () => {
  const endpoint = withBody.find(({ name }) => name === 'validateCoupon')
  assert.ok(endpoint)
  const call = await prepare(world, endpoint)
  const values = ['null', 'true', '0', '1.5', '""', '" "', '[]', '{}', '["MOONSTONE10"]', '{"toString":"MOONSTONE10"}']
  values.push('"\\u202e"', `"${'x'.repeat(100_000)}"`, '1e400', '"%"', '"\'"', '"moonstone10\\n"')
  const bodies = spotsOf(call).flatMap(({ write }) => values.map(write))
  await assertUnharmed(call, () =>
    fewAtOnce(
      [...bodies, '{}', '{"surplus":1}', '{"code":"MOONSTONE10"}', '{"code":" moonstone10 "}'],
      async (body) => {
        const answer = await sendText(call, body)
        assert.equal(answer.status, 200, `${body.slice(0, 50)}: ${answer.text}`)
        assert.equal(answer.json.valid, answer.json.reason === undefined, answer.text)
      },
    ),
  )
})

test('input that fails its schema is 422 on carts and wishlists, and 400 elsewhere', () => {
  for (const endpoint of guarded.filter(({ body, params, query }) => body ?? params ?? query)) {
    const is422 = /^\/v1\/(cart|wishlist)\b/.test(endpoint.path)
    assert.equal(endpoint.invalidInput ?? 400, is422 ? 422 : 400, describe(endpoint))
  }
})

test('a content type other than JSON is 415 on every endpoint that could get a body', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ]
  const chosen = combine([...withBody, ...withoutBody], types)
  for (const endpoint of [...withBody, ...withoutBody]) {
    const call = await prepare(world, endpoint)
    const ownTypes = chosen.filter(([other]) => other === endpoint).map(([, type]) => type)
    await assertUnharmed(call, () =>
      fewAtOnce(ownTypes, async (type) => {
        const answer = await sendText(call, JSON.stringify(call.bodies[0] ?? {}), { 'content-type': type })
        assertRefused(answer, [415, 'UNSUPPORTED_MEDIA_TYPE'], `${describe(endpoint)}, ${type}`)
      }),
    )
  }
})

test('a body above one MiB is 413 everywhere, with or without Content-Length', async () => {
  for (const endpoint of [...withBody, ...withoutBody]) {
    const call = await prepare(world, endpoint)
    await assertUnharmed(call, async () => {
      for (const isAnnounced of [true, false]) {
        const answer = await sendHuge(call, isAnnounced)
        assertDocumented(endpoint, answer)
        assert.equal(answer.status, 413, `${describe(endpoint)}: ${answer.text}`)
      }
    })
  }
})

/** `fetch` fails when the response arrives before the whole body is sent. */
const sendHuge = (call: Prepared, isAnnounced: boolean) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const padding = ' '.repeat(1024 * 1024 + 1)
    const body = `${padding}${JSON.stringify(call.bodies[0] ?? {})}`.slice(-padding.length)
    const framing = isAnnounced ? { 'content-length': `${body.length}` } : { 'transfer-encoding': 'chunked' }
    const headers = { ...headersOf(call, { 'content-type': 'application/json' }), ...framing }
    const url = `${service.url}${addressOf(call)}`
    const sent = request(url, { method: call.endpoint.method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })

test('an endpoint without a body refuses invalid JSON and ignores valid JSON', async () => {
  assert.ok(withoutBody.length > 0)
  const broken = [...notJson, '{"__proto__":1}', '"\\u0000"', `${'['.repeat(40)}${']'.repeat(40)}`]
  for (const endpoint of withoutBody) {
    const call = await prepare(world, endpoint)
    await assertUnharmed(call, () =>
      fewAtOnce(broken, async (text) =>
        assertRefused(await sendText(call, text), badRequest, `${describe(endpoint)}, ${text.slice(0, 20)}`),
      ),
    )
    for (const text of ['', '{}', 'null', '[]', '5', '{"id":"x","customerId":"y","quantity":-1}']) {
      const answer = await sendText(await prepare(world, endpoint), text)
      assert.ok(isTaken(endpoint, answer), `${describe(endpoint)}, ${text}: ${answer.status} ${answer.text}`)
    }
  }
})
