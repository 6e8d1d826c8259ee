import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { combine } from './combinations.ts'
import { startServiceApart, type TestService } from './harness.ts'
import {
  addressOf as addressOfCall,
  assertDocumented,
  cheapPasswords,
  describe,
  endpoints,
  fewAtOnce,
  headersOf,
  isRead,
  isTaken,
  type NamedEndpoint,
  openWorld,
  type Prepared,
  prepare,
  rowsOf,
  type World,
} from './world.ts'

/**
 * Invalid values in every parameter of every endpoint. The list comes from the contract, so new endpoints are included.
 * The answer is always documented and never a server error.
 */
let service: TestService
let world: World
const calls = new Map<string, Prepared>()
before(async () => {
  service = await startServiceApart({ passwords: cheapPasswords })
  world = await openWorld(service)
  for (const endpoint of endpoints) calls.set(endpoint.name, await prepare(world, endpoint))
})
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
after(async () => {
  agent.destroy()
  await service.close()
})

const callOf = ({ name }: NamedEndpoint) => calls.get(name) as Prepared

type Raw = { status: number; type: string; text: string }

/** Sends the address exactly as written; `fetch` would normalize it. */
const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  new Promise<Raw>((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    request({ hostname, port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
      .on('error', reject)
      .end(body)
  })

const sendTo = (endpoint: NamedEndpoint, address: string) => {
  const call = callOf(endpoint)
  const [body] = call.bodies
  return send(endpoint.method, address, headersOf(call), body === undefined ? undefined : JSON.stringify(body))
}

const queryOf = ({ query }: NamedEndpoint) => Object.keys(query?.properties ?? {})
const paramsOf = ({ params }: NamedEndpoint) => Object.keys(params?.properties ?? {})

/** A valid address with some values replaced, which are not encoded. */
const addressOf = (endpoint: NamedEndpoint, replaced: Record<string, string> = {}) =>
  addressOfCall(callOf(endpoint), replaced)

/** Sends to every endpoint, a few at a time, and checks each answer. A refused request changes nothing. */
const tryAll = async (
  addresses: (endpoint: NamedEndpoint) => string[],
  look?: (answer: Raw, what: string, endpoint: NamedEndpoint) => void,
) => {
  const all = endpoints.flatMap((endpoint) => addresses(endpoint).map((address) => ({ endpoint, address })))
  const before = await rowsOf(world)
  const taken = new Set<string>()
  await fewAtOnce(all, async ({ endpoint, address }) => {
    const answer = await sendTo(endpoint, address)
    const what = `${endpoint.method} ${address.slice(0, 200)}`
    assertDocumented(endpoint, answer)
    if (answer.status >= 400) assert.match(answer.type, /^application\/json/, what)
    else if (endpoint.method !== 'GET') taken.add(describe(endpoint))
    look?.(answer, what, endpoint)
  })
  assert.deepEqual([...taken], [], 'these accepted invalid input')
  assert.deepEqual(await rowsOf(world), before)
}

const assert400 = ({ status, text }: Raw, what: string) => assert.equal(status, 400, `${what}: ${text.slice(0, 200)}`)

const assertTaken = (answer: Raw, what: string, endpoint: NamedEndpoint) =>
  assert.ok(isTaken(endpoint, answer), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`)

const badText = {
  NUL: '%00',
  'a NUL inside': 'mu%00g',
  'bytes that are not UTF-8': '%ff%fe',
  'a lone surrogate': '%ed%a0%80',
  'half a surrogate pair': 'a%ed%b0%80b',
  'an overlong slash': '%c0%af',
  'an unfinished escape': '%',
  'an escape that is none': '%zz',
  'a NUL in a list': 'prod_1,%00,prod_2',
}
const oddText = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  '[object%20Object]',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  "'%3b%20drop%20table%20product%3b--",
  '%27%20or%20%271%27%3d%271',
  '%24%7b7*7%7d',
  '%7b%7b7*7%7d%7d',
  '%25',
  '%5c',
  '%f0%9f%ab%96',
  '%e2%80%ae',
  '%ef%bb%bf',
  '%0d%0aset-cookie:a=b',
  '+',
  '%20',
  '-',
  '',
]
const oddNumbers = [
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '-1e400',
  '1e-400',
  'NaN',
  'Infinity',
  '-0',
  '0x10',
  '1_000',
  '٣',
  '2147483648',
  '9223372036854775808',
  '99999999999999999999999999999999999999',
].map(encodeURIComponent)
const longText = ['x'.repeat(201), 'x'.repeat(2000), '%41'.repeat(3000), 'x,'.repeat(5000), '%00'.repeat(1000)]

const everyValue = (values: readonly string[]) => {
  const parameters = endpoints.flatMap((endpoint) =>
    [...queryOf(endpoint), ...paramsOf(endpoint)].map((name) => ({ endpoint, name })),
  )
  const chosen = combine(parameters, values)
  return (endpoint: NamedEndpoint) =>
    chosen
      .filter(([parameter]) => parameter.endpoint === endpoint)
      // Without its parameter, a path is the address of something else.
      .filter(([{ name }, value]) => value !== '' || !paramsOf(endpoint).includes(name))
      .map(([{ name }, value]) => addressOf(endpoint, { [name]: value }))
}

test('invalid text is refused in every parameter, or ignored', async () => {
  await tryAll(everyValue(Object.values(badText)))
})

test('a NUL character is refused with 400 in every parameter', async () => {
  await tryAll(everyValue(['%00', 'mu%00g', '%00%00']), assert400)
})

test('unusual text is handled like any other text', async () => {
  await tryAll(everyValue(oddText))
})

test('numbers out of bounds and malformed numbers cause no server error', async () => {
  await tryAll(everyValue(oddNumbers))
})

test('long values cause no server error', async () => {
  await tryAll(everyValue(longText))
})

test('an invalid page size is refused everywhere', async () => {
  const sizes = ['0', '-1', '101', 'abc', '1.5', '', '1e9', 'NaN', 'null', '[5]', '5,5', '%205%00', '9007199254740993']
  await tryAll(
    (endpoint) => (queryOf(endpoint).includes('limit') ? sizes.map((limit) => addressOf(endpoint, { limit })) : []),
    assert400,
  )
})

test('a forged cursor is refused everywhere', async () => {
  const payload = Buffer.from('[1]').toString('base64url')
  const cursors = ['', '.', '..', 'a', 'null', `${payload}.`, `.${payload}`, `${payload}.${'A'.repeat(22)}`, '%00']
  cursors.push('x'.repeat(1000), 'x'.repeat(1001), `${Buffer.from('{"__proto__":1}').toString('base64url')}.x`)
  await tryAll(
    (endpoint) =>
      queryOf(endpoint).includes('cursor') ? cursors.map((cursor) => addressOf(endpoint, { cursor })) : [],
    assert400,
  )
})

test('a parameter given twice is refused', async () => {
  await tryAll(
    (endpoint) => queryOf(endpoint).map((name) => `${addressOf(endpoint, { [name]: '1' })}&${name}=1`),
    assert400,
  )
})

test('undeclared parameters are ignored, whatever their names', async () => {
  const names = [
    'unknown',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'limit[]',
    'q[a]',
    '%5f_proto__',
    '',
    'a.b',
  ]
  const join = (address: string) => `${address}${address.includes('?') ? '&' : '?'}`
  const withMore = (endpoint: NamedEndpoint, queries: string[]) =>
    combine(endpoints.filter(isRead), queries)
      .filter(([read]) => read === endpoint)
      .map(([, more]) => join(addressOf(endpoint)) + more)
  await tryAll((endpoint) => withMore(endpoint, ['']), assertTaken)
  const queries = names.flatMap((name) => [`${name}=1`, `${name}=1&${name}=2`])
  await tryAll((endpoint) => withMore(endpoint, queries), assertTaken)
  await tryAll((endpoint) => withMore(endpoint, ['%00=1', 'a=%00', '%ff=1', '&&&', '=', '%', '?', '#']))
  assert.equal(({} as Record<string, unknown>)['1'], undefined)
})

test('three hundred undeclared parameters are ignored', async () => {
  const many = Array.from({ length: 300 }, (_, i) => `p${i}=${i}`).join('&')
  await tryAll(
    (endpoint) =>
      isRead(endpoint) ? [`${addressOf(endpoint)}${addressOf(endpoint).includes('?') ? '&' : '?'}${many}`] : [],
    assertTaken,
  )
})

test('undeclared addresses are 404, however they are written', async () => {
  for (const path of [
    '/v2/products',
    '/v1',
    '/v1/',
    '/v1/productss',
    '/v1/products/a/b',
    '//v1//products',
    '/v1//products',
    '/V1/products',
    '/v1/products%2fmug',
    '/v1/%2e%2e/health',
    '/__proto__',
    '/v1/__proto__',
    '/constructor',
    '/demo/images/',
    '/demo/images/..%2fstore.json',
    '/demo/images/%2e%2e%2fstore.json',
    '/demo/images/../store.json',
    '/demo/images/..%5cstore.json',
    '/demo/images/%2fetc%2fpasswd',
    '/demo/images/logo.svg%00.png',
    '/demo/images/__proto__',
    '/demo/images/.',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/%00',
  ]) {
    const answer = await send('GET', path, withKey())
    assertError(answer, path, [404])
  }
})

test('an undeclared method is 404, and a preflight without a known origin is 403 or 404', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'OPTIONS']) {
    for (const path of ['/v1/products', '/v1/store', '/health', '/nowhere']) {
      const answer = await send(method, path, withKey())
      assertError(answer, `${method} ${path}`, method === 'OPTIONS' ? [403, 404] : [404])
    }
  }
})

const withKey = () => ({ 'x-store-key': world.shop.key })

const assertError = ({ status, text }: Raw, what: string, expected: number[]) => {
  assert.ok(expected.includes(status), `${what}: ${status} ${text}`)
  assert.deepEqual(Object.keys(JSON.parse(text)).sort(), ['code', 'error'], what)
}
