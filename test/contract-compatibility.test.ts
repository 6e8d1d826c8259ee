import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Contract, findContractBreaks, type Operation, type Schema } from './upgrade/contract-breaks.ts'

/** Clients outlive releases: `openapi.json` is compared with that of every released version, and may only grow. */
const folder = new URL('./upgrade/', import.meta.url)
const suffix = '.openapi.json.gz'
const versions = globSync(`*${suffix}`, { cwd: folder }).map((name) => name.slice(0, -suffix.length))

const readReleased = (version: string): Contract =>
  JSON.parse(gunzipSync(readFileSync(new URL(`${version}${suffix}`, folder))).toString())
const readCurrent = (): Contract => JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))

/** Fields that were removed on purpose, with the reason. */
const intended: Record<string, string> = {
  needsAttention: 'It tells a merchant what to do about an order and was shown to shoppers by mistake.',
}
const isIntended = (found: string) => Object.keys(intended).some((name) => found.endsWith(`.${name}: is gone`))

for (const version of versions) {
  test(`a client written for ${version} works with this version`, () => {
    const breaks = findContractBreaks(readReleased(version), readCurrent())
    assert.deepEqual(
      breaks.filter((found) => !isIntended(found)),
      [],
    )
  })
}

test('0.1.0 is among the versions', () => assert.ok(versions.includes('0.1.0')))

/** Breaking changes, each with its finding. */
const spoilers: Record<string, [(contract: Contract) => void, string]> = {
  'a path is gone': [({ paths }) => delete paths['/v1/menu'], 'GET /v1/menu: is gone'],
  'a method is gone': [({ paths }) => delete paths['/v1/wishlist/{id}']?.delete, 'DELETE /v1/wishlist/{id}: is gone'],
  'an operation has another name': [
    (contract) => (operationOf(contract, 'get', '/v1/store').operationId = 'readStore'),
    'GET /v1/store: operationId was showStore',
  ],
  'a way to prove who calls is gone': [
    (contract) => operationOf(contract, 'get', '/v1/store').security?.shift(),
    'GET /v1/store: access by storeKey is gone',
  ],
  'a public call needs a key': [
    (contract) => (operationOf(contract, 'get', '/health').security = [{ storeKey: [] }]),
    'GET /health: was public',
  ],
  'a parameter is gone': [
    (contract) => operationOf(contract, 'get', '/v1/products').parameters.shift(),
    'GET /v1/products query category: is gone',
  ],
  'a parameter takes less': [
    (contract) =>
      Object.assign(operationOf(contract, 'get', '/v1/products').parameters[0]?.schema ?? {}, { maxLength: 9 }),
    'GET /v1/products query category: maxLength was 200 and is 9',
  ],
  'a new parameter is required': [
    (contract) =>
      operationOf(contract, 'get', '/v1/menu').parameters.push({
        name: 'new',
        in: 'query',
        required: true,
        schema: {},
      }),
    'GET /v1/menu query new: is required now',
  ],
  'a body field is gone': [
    (contract) => delete bodyOf(contract, '/v1/checkout').properties?.note,
    'POST /v1/checkout body.note: is gone',
  ],
  'a new body field is required': [
    (contract) => Object.assign(bodyOf(contract, '/v1/checkout'), { required: ['note'] }),
    'POST /v1/checkout body.note: is required now',
  ],
  'a body field has a narrower type': [
    (contract) => Object.assign(bodyOf(contract, '/v1/cart').properties?.quantity ?? {}, { type: 'string' }),
    'POST /v1/cart body.quantity: was integer and is string',
  ],
  'a response field is gone': [
    ({ components }) => delete schemaOf(components, 'Product').properties?.slug,
    'GET /v1/products 200[].slug: is gone',
  ],
  'a response field may be missing': [
    ({ components }) => Object.assign(schemaOf(components, 'Product'), { required: [] }),
    'GET /v1/products 200[].slug: may be missing now',
  ],
  'a response field may be null': [
    ({ components }) =>
      Object.assign(schemaOf(components, 'Product').properties?.slug ?? {}, { type: ['string', 'null'] }),
    'GET /v1/products 200[].slug: was string and is string or null',
  ],
  'a value of a response is gone': [
    ({ components }) => schemaOf(components, 'Order').properties?.status?.enum?.shift(),
    'GET /v1/customer/orders/{id} 200.status: pending is gone',
  ],
  'an error is gone': [
    (contract) => delete operationOf(contract, 'get', '/v1/products/{idOrSlug}').responses['404'],
    'GET /v1/products/{idOrSlug} 404: is gone',
  ],
  'an error code is gone': [
    ({ components }) => {
      const conflict = components.responses?.CONFLICT as Operation['responses'][string] | undefined
      const schema = conflict?.content?.['application/json']?.schema
      Object.assign(schema?.allOf?.[1]?.properties?.code ?? {}, { enum: ['TAKEN'] })
    },
    'POST /v1/wishlist 409.code: CONFLICT is gone',
  ],
  'a response header is gone': [
    (contract) => delete operationOf(contract, 'get', '/v1/products').responses['200']?.headers?.link,
    'GET /v1/products 200 header link: is gone',
  ],
}

for (const [name, [spoil, expected]] of Object.entries(spoilers)) {
  test(`the comparison notices when ${name}`, () => {
    const spoilt = readCurrent()
    spoil(spoilt)
    const breaks = findContractBreaks(readCurrent(), spoilt)
    assert.ok(breaks.includes(expected), breaks.join('\n') || 'nothing was found')
  })
}

const operationOf = ({ paths }: Contract, method: string, path: string): Operation => {
  const operation = paths[path]?.[method]
  assert.ok(operation, `${method} ${path}`)
  return operation
}

const schemaOf = (components: Contract['components'], name: string): Schema => {
  const schema = components.schemas?.[name]
  assert.ok(schema, name)
  return schema
}

const bodyOf = (contract: Contract, path: string): Schema => {
  const schema = operationOf(contract, 'post', path).requestBody?.content['application/json']?.schema
  assert.ok(schema, path)
  return schema.$ref === undefined ? schema : schemaOf(contract.components, schema.$ref.split('/').at(-1) ?? '')
}
