import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TObject } from 'typebox'
import { Failure } from '../src/core/errors.ts'
import { scopes } from '../src/features/access/storefront.contract.ts'
import { type Input, invoke, type Operation } from '../src/http/operations.ts'
import { startTestService, type TestService } from './harness.ts'
import {
  cheapPasswords,
  describe,
  endpoints,
  fewAtOnce,
  guarded,
  headersOf,
  isRead,
  isTaken,
  type NamedEndpoint,
  openWorld,
  type Prepared,
  prepare,
  send,
  type World,
  withAccess,
} from './world.ts'

/** Every endpoint of the contract is called by HTTP and by `invoke`, which must agree. */
let service: TestService
let world: World
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  world = await openWorld(service)
})
after(() => service.close())

const operationOf = ({ name }: NamedEndpoint): Operation => {
  const operation = service.app.operations.named(name)
  assert.ok(operation, `no operation is named ${name}`)
  return operation
}

/** The context that the family's `admit` makes of a valid call. */
const contextOf = async (call: Prepared, changed: Parameters<typeof headersOf>[1] = {}) => {
  const operation = operationOf(call.endpoint)
  return operation.door.admit({
    route: operation,
    headers: headersOf(call, changed),
    params: call.params,
    clientAddress: '127.0.0.1',
    requestId: 'invoked',
    peer: { remoteAddress: '127.0.0.1' },
    setHeader: () => {},
    onDisconnect: () => () => {},
    readBody: async () => Buffer.from(JSON.stringify(call.bodies[0] ?? null)),
  })
}

const inputOf = ({ params, query, bodies }: Prepared): Input => ({ params, query, body: bodies[0] })

/** Names and types of a value, for answers about different objects. A list has the shape of its first item. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

/** Their answers differ on every call. */
const differsEachTime = new Set(['health', 'metrics'])

test('an operation answers invoke as it answers HTTP', async () => {
  await fewAtOnce(endpoints, async (endpoint) => {
    const [first, second] = [await prepare(world, endpoint), await prepare(world, endpoint)]
    const repeatable = isRead(endpoint) && !differsEachTime.has(endpoint.name)
    const sent = await send(repeatable ? second : first)
    const result = await invoke(operationOf(endpoint), await contextOf(second), inputOf(second))
    assert.ok(isTaken(endpoint, sent), `${describe(endpoint)}: ${sent.text}`)
    assert.equal(result.status, sent.status, describe(endpoint))
    const answered = endpoint.contentType === undefined ? (sent.json ?? null) : sent.text
    const view = repeatable ? (value: unknown) => value : shapeOf
    assert.deepEqual(view(result.body), view(answered), describe(endpoint))
    for (const name of Object.keys(result.headers)) assert.ok(sent.headers.has(name), `${describe(endpoint)}, ${name}`)
  })
})

type Refusal = { status: number; code: string; error: string }

const refusalOf = async (call: Promise<unknown>): Promise<Refusal> => {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return { status: error.status, code: error.code, error: error.message }
  }
  return assert.fail('it was not refused')
}

const long = 'x'.repeat(3_000)

/** Variants of the call, each with one invalid value. */
const spoilt = (call: Prepared): Prepared[] => {
  const fieldsOf = (schema: unknown) => Object.keys((schema as TObject | undefined)?.properties ?? {})
  const { params, query, body } = call.endpoint
  const good = call.bodies[0] ?? {}
  const inBody = fieldsOf(body).flatMap((name) => [
    { ...good, [name]: { wrong: true } },
    Object.fromEntries(Object.entries(good).filter(([other]) => other !== name)),
  ])
  return [
    ...fieldsOf(params).flatMap((name) =>
      [long, '\0'].map((value) => ({ ...call, params: { ...call.params, [name]: encodeURIComponent(value) } })),
    ),
    ...fieldsOf(query).flatMap((name) =>
      [long, '-1', '\0'].map((value) => ({ ...call, query: { ...call.query, [name]: value } })),
    ),
    ...(body === undefined ? [] : [[], 'text', {}, ...inBody].map((wrong) => withBody(call, wrong))),
  ]
}

const withBody = (call: Prepared, body: unknown): Prepared => ({
  ...call,
  bodies: [body as Record<string, unknown>],
})

const decoded = (params: Record<string, string>) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))

test('an operation refuses invalid input from invoke as it does from HTTP', async () => {
  let refused = 0
  await fewAtOnce(endpoints, async (endpoint) => {
    const call = await prepare(world, endpoint)
    const ctx = await contextOf(call)
    for (const wrong of spoilt(call)) {
      // Webhooks accept events that they cannot apply, and the door refuses unknown providers with 404.
      const answer = await send(wrong)
      if (answer.status !== 400 && answer.status !== 422) continue
      const input = { ...inputOf(wrong), params: decoded(wrong.params) }
      assert.deepEqual(
        await refusalOf(invoke(operationOf(endpoint), ctx, input)),
        { status: answer.status, ...answer.json },
        `${describe(endpoint)}, ${JSON.stringify(input).slice(0, 300)}`,
      )
      refused++
    }
  })
  assert.ok(refused > 100, `only ${refused} calls were refused`)
})

test('an operation refuses invoke to a context without its scope, as HTTP does to a key', async () => {
  await fewAtOnce(guarded, async (endpoint) => {
    const { scope } = endpoint
    const call = await prepare(world, endpoint)
    const others = scopes.filter((other) => other !== scope)
    const { key } = await world.shop.newKey({ scopes: others, rateLimit: 10_000 })
    const { status, json } = await send(call, { headers: { 'x-store-key': key } })
    const ctx = { ...(await contextOf(call)), scopes: new Set(others) }
    const refusal = await refusalOf(invoke(operationOf(endpoint), ctx, inputOf(call)))
    assert.deepEqual(refusal, { status, ...json }, describe(endpoint))
    assert.equal(refusal.status, 403)
  })
})

test('an operation for customers refuses invoke without a customer, as HTTP does', async () => {
  const guestCall = await prepare(world, withAccess('shopper')[0] as NamedEndpoint)
  const guest = await contextOf(guestCall)
  const { shopper: _, ...anonymous } = guest as typeof guest & { shopper: unknown }
  await fewAtOnce(withAccess('customer', 'asserted'), async (endpoint) => {
    const call = await prepare(world, endpoint)
    const { status, json } = await send(call, { headers: { authorization: undefined, 'x-customer-id': undefined } })
    for (const ctx of [guest, anonymous]) {
      const refusal = await refusalOf(invoke(operationOf(endpoint), ctx, inputOf(call)))
      assert.deepEqual(refusal, { status, ...json }, describe(endpoint))
    }
  })
})

test('no call of this file caused a server error', () => {
  assert.deepEqual(
    service.logLines.filter((line) => JSON.parse(line).level >= 50),
    [],
  )
})
