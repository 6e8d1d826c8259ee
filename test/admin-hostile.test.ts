import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adminContracts } from '../src/contract.ts'
import type { AdminEndpoint } from '../src/features/access/admin.contract.ts'
import { jsonBody, newProgram, newStaff, ownOrigin } from './admin-callers.ts'
import { combine, takeThird } from './combinations.ts'
import { type Answer, newStore, startTestService, type TestService, type TestStore } from './harness.ts'
import { cheapPasswords } from './world.ts'

/** Bodies, queries and paths made from the schema of every admin endpoint, and spoilt: never a 5xx, always a clear error. */
const endpoints = adminContracts.flatMap((contract) =>
  Object.entries(contract as Record<string, AdminEndpoint>).map(([name, endpoint]) => ({ name, ...endpoint })),
)

type Shape = {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Shape>
  items?: Shape
  minimum?: number
  minLength?: number
  pattern?: string
}

/** A value that fits the schema, as far as a schema tells. */
const fit = (shape: Shape): unknown => {
  if (shape.enum !== undefined) return shape.enum[0]
  const [kind] = [shape.type].flat()
  if (kind === 'object')
    return Object.fromEntries(Object.entries(shape.properties ?? {}).map(([name, field]) => [name, fit(field)]))
  if (kind === 'array') return shape.items === undefined ? [] : [fit(shape.items)]
  if (kind === 'boolean') return true
  if (kind === 'integer' || kind === 'number') return Math.max(shape.minimum ?? 1, 1)
  if (shape.pattern !== undefined) return '2026-11-15'
  return 'sample'.padEnd(shape.minLength ?? 0, 'e')
}

/** Values that careless code trips over. */
const spoilt: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    '',
    ' ',
    '0',
    '-1',
    'null',
    '\u0000',
    '\ud800',
    '🙂'.repeat(60),
  ],
  ...[
    'x'.repeat(5_000),
    "'; drop table staff; --",
    '%',
    '_',
    '\\',
    '../../etc/passwd',
    '<script>',
    '{{7*7}}',
    '__proto__',
  ],
  ...[[], [[]], {}, { constructor: 1 }, ['a', 1, null], Array.from({ length: 300 }, () => 'x')],
]

/** Every body with one field replaced, left out, or added. */
function* spoiltBodies(body: Shape): Generator<unknown> {
  const good = fit(body) as Record<string, unknown>
  yield good
  yield* takeThird('bodies', spoilt)
  yield { ...good, unknownField: 1 }
  for (const name of Object.keys(good)) {
    const { [name]: _, ...rest } = good
    yield rest
  }
  for (const [name, value] of combine(Object.keys(good), spoilt)) yield { ...good, [name]: value }
}

/** The fields as a form, with a file that is none that any endpoint takes. */
const formBody = (given: unknown) => {
  const fields = typeof given === 'object' && given !== null ? Object.entries(given) : [[String(given), given]]
  const parts = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  })
  const file = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nsample\r\n--x--\r\n'
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: parts.join('') + file }
}

let service: TestService
let shop: TestStore
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
  shop = await newStore(service)
  await newStaff(service, shop)
})
after(() => service.close())

const assertClear = ({ status, json, text }: Answer, what: string) => {
  assert.ok(status < 500, `${what}: ${status} ${text}`)
  if (status >= 400) assert.deepEqual(Object.keys(json ?? {}).sort(), ['code', 'error'], `${what}: ${status} ${text}`)
}

const pathOf = ({ path }: AdminEndpoint, other = 'unknown') =>
  path.replace('{storeId}', shop.storeId).replaceAll(/\{\w+\}/g, encodeURIComponent(other))

/** A caller whom the calls of the endpoint may sign out or remove. */
const newCaller = async ({ access }: AdminEndpoint): Promise<Record<string, string>> => {
  if (access === 'public') return {}
  return (access === 'store' ? await newProgram(service, shop) : await newStaff(service, shop)).credentials
}

for (const endpoint of endpoints) {
  const { name, method, body, query } = endpoint
  test(`${name} answers spoilt input clearly`, async () => {
    const credentials = await newCaller(endpoint)
    const send = (path: string, given?: unknown) => {
      const sent = given === undefined ? { headers: {} } : endpoint.maxFileBytes ? formBody(given) : jsonBody(given)
      return service.call(path, { method, ...sent, headers: { origin: ownOrigin, ...credentials, ...sent.headers } })
    }
    const bodies = body === undefined ? [undefined] : [...spoiltBodies(body as Shape)]
    for (let from = 0; from < bodies.length; from += 20) {
      const some = bodies.slice(from, from + 20)
      const answers = await Promise.all(some.map((given) => send(pathOf(endpoint), given)))
      for (const [i, answer] of answers.entries()) assertClear(answer, String(JSON.stringify(some[i])).slice(0, 200))
    }
    const texts = spoilt.filter((value) => typeof value === 'string' && value !== '\ud800')
    const pairs = combine(Object.keys((query as Shape | undefined)?.properties ?? {}), texts)
    for (let from = 0; from < pairs.length; from += 20) {
      const some = pairs.slice(from, from + 20)
      const answers = await Promise.all(
        some.map(([field, text]) => send(`${pathOf(endpoint)}?${new URLSearchParams([[field, String(text)]])}`)),
      )
      for (const [i, answer] of answers.entries()) assertClear(answer, `${some[i]?.[0]} in the query`)
    }
    if (!endpoint.path.replace('{storeId}', '').includes('{')) return
    for (const text of takeThird(
      'paths',
      texts.filter((value) => value !== '' && value !== ' '),
    )) {
      assertClear(await send(pathOf(endpoint, String(text)), body && fit(body as Shape)), `${text} in the path`)
    }
  })
}
