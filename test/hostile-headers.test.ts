import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Access } from '../src/features/access/storefront.contract.ts'
import type { Endpoint } from '../src/http/endpoint.ts'
import { combine } from './combinations.ts'
import { startServiceApart, type TestService } from './harness.ts'
import {
  cheapPasswords,
  describe,
  fewAtOnce,
  guarded,
  isRead,
  isTaken,
  type NamedEndpoint,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  send,
  type World,
} from './world.ts'

/** Invalid values in every header that an endpoint reads. Node itself refuses bytes that HTTP does not allow. */
let service: TestService
let world: World
before(async () => {
  service = await startServiceApart({ passwords: cheapPasswords })
  world = await openWorld(service)
})
after(() => service.close())

const invalidValues = [
  ...['', ',', 'a b', 'a\tb', '\xff\xfe', '\xed\xa0\x80', '__proto__', '[object Object]', 'null', '{}', '%00', '*'],
  ...["' or '1'='1", '../../etc/passwd', 'gst_', 'cus_', 'ses_', 'gst_a.b.c', 'x'.repeat(256), 'x'.repeat(5_000)],
  `gst_${'0'.repeat(26)}.zzzzzzzzz.${'A'.repeat(22)}`,
]

type Header = {
  name: string
  write?: (text: string) => string
  values?: string[]
  /** Which endpoints refuse it, and how; all others ignore it. */
  refuses: Access[] | 'once'
  as?: [number, string]
}

const everyone: Access[] = ['store', 'sign-in', 'shopper', 'customer', 'asserted']
const headers: Header[] = [
  { name: 'x-outlet-id', refuses: everyone, as: [400, 'BAD_REQUEST'] },
  { name: 'origin', refuses: everyone, as: [403, 'FORBIDDEN'] },
  { name: 'x-guest-token', refuses: ['shopper'], as: [400, 'BAD_REQUEST'] },
  { name: 'x-customer-id', refuses: ['shopper', 'customer', 'asserted'], as: [401, 'UNAUTHORIZED'] },
  {
    ...{ name: 'authorization', write: (text) => `Bearer ${text}` },
    ...{ refuses: ['store', 'shopper', 'customer', 'asserted'], as: [401, 'UNAUTHORIZED'] },
  },
  {
    ...{
      name: 'idempotency-key',
      values: ['', 'a b', 'a\tb', '\xff', '\xed\xa0\x80', 'x'.repeat(256), 'x'.repeat(5_000)],
    },
    ...{ refuses: 'once', as: [400, 'BAD_REQUEST'] },
  },
  { name: 'x-request-id', refuses: [] },
  { name: 'if-none-match', values: invalidValues.filter((text) => text !== '*'), refuses: [] },
]

const isRefused = ({ access, once }: Endpoint, refuses: Header['refuses']) =>
  refuses === 'once' ? once === true : refuses.includes(access as Access)

const reads = new Map<string, Promise<Prepared>>()

/** Reads change nothing, so all tests share one call of each. */
const prepareRead = (endpoint: NamedEndpoint): Promise<Prepared> => {
  const call = reads.get(endpoint.name) ?? prepare(world, endpoint)
  reads.set(endpoint.name, call)
  return call
}

const prepareAll = async (refuses: Header['refuses']) => {
  const calls: Prepared[] = []
  for (const endpoint of guarded) if (isRefused(endpoint, refuses)) calls.push(await prepare(world, endpoint))
  return calls
}

for (const { name, write = (text: string) => text, values = invalidValues, refuses, as } of headers) {
  if (as !== undefined) {
    test(`an invalid ${name} is refused as documented, and changes nothing`, async () => {
      const calls = await prepareAll(refuses)
      const before = await rowsOf(world)
      await fewAtOnce(combine(calls, values), async ([call, value]) => {
        const { status, json, text } = await send(call, { headers: { [name]: write(value) } })
        const what = `${describe(call.endpoint)}, ${name}: ${write(value).slice(0, 50)}: ${text.slice(0, 200)}`
        assert.deepEqual([status, json?.code], as, what)
      })
      assert.deepEqual(await rowsOf(world), before)
    })
  }
  if (refuses === everyone) continue
  test(`an invalid ${name} is ignored where the header has no meaning`, async () => {
    const others = guarded.filter((endpoint) => !isRefused(endpoint, refuses))
    // A read can be repeated; other calls are made once each.
    const writes = others.filter((endpoint) => !isRead(endpoint)).map((endpoint) => [endpoint, '\xff a b'] as const)
    await fewAtOnce([...combine(others.filter(isRead), values), ...writes], async ([endpoint, value]) => {
      const call = isRead(endpoint) ? await prepareRead(endpoint) : await prepare(world, endpoint)
      const answer = await send(call, { headers: { [name]: write(value) } })
      const what = `${describe(endpoint)}, ${name}: ${write(value).slice(0, 50)}: ${answer.text.slice(0, 200)}`
      assert.ok(isTaken(endpoint, answer), what)
    })
  })
}

test('an Idempotency-Key may be any text without blanks', async () => {
  const repeatable = guarded.filter(({ once }) => once)
  for (const key of ['__proto__', "'", '%00', 'x'.repeat(255), '{"a":1}', ',', '*']) {
    await fewAtOnce(repeatable, async (endpoint) => {
      const call = await prepare(world, endpoint)
      const [first, again] = [
        await send(call, { headers: { 'idempotency-key': key } }),
        await send(call, { headers: { 'idempotency-key': key } }),
      ]
      assert.ok(first.status < 300, first.text)
      assert.deepEqual([again.status, again.text], [first.status, first.text], describe(endpoint))
    })
  }
})
