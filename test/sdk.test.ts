import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import Type from 'typebox'
import { inputOf } from '../sdk/generate/endpoints.ts'
import { bareTypeOf, commentLines } from '../sdk/generate/schema.ts'
import { generate } from '../sdk/generate.ts'
import { type Client, createClient, VitrineError } from '../sdk/src/index.ts'
import { operations } from '../sdk/src/operations.ts'
import { contracts, describeVitrine } from '../src/contract.ts'
import { errorCatalogue } from '../src/core/errors.ts'
import type { Endpoint } from '../src/http/endpoint.ts'

/** The code of the client. The other sdk-… files test its behaviour. */
const root = new URL('../', import.meta.url)
const largestBytes = 12_000

const bundle = async (format: 'esm' | 'iife') => {
  const { outputFiles } = await build({
    entryPoints: [new URL('sdk/src/index.ts', root).pathname],
    ...{ bundle: true, minify: true, write: false, format, globalName: 'vitrine', platform: 'neutral' },
  })
  return (outputFiles[0] as { text: string }).text
}

test('every error code of the catalogue is a type, and no other', () => {
  const union = /export type ErrorCode =([\s\S]*)$/.exec(generate()['src/types.ts'] ?? '')?.[1] ?? ''
  assert.deepEqual(
    [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code),
    Object.keys(errorCatalogue),
  )
})

test('an input with an ambiguous name is refused', () => {
  const id = Type.Object({ id: Type.String() })
  assert.throws(() => inputOf('x', { method: 'PATCH', params: id, body: id }), /takes "id" in two places/)
  assert.throws(() => inputOf('x', { method: 'POST', query: id, body: Type.Object({}) }), /a query and a body/)
})

test('texts of the contract are escaped in generated code', () => {
  const style = { input: false, named: new Map(), indent: '' }
  assert.equal(bareTypeOf({ enum: ["it's", 'a\\b', 3, null] }, style), `"it's" | "a\\\\b" | 3 | null`)
  const eitherOr = { type: ['string', 'object'], properties: { id: { type: 'string' } }, required: ['id'] }
  assert.equal(bareTypeOf({ type: 'array', items: eitherOr }, style), '(string | {\n  id: string\n})[]')
  const odd = { type: 'object', properties: { "it's": { type: 'null' } }, required: ["it's"] }
  assert.equal(bareTypeOf(odd, style), `{\n  "it's": null\n}`)
  assert.deepEqual(commentLines('Accepts */* alone.', ''), ['/** Accepts *\\/* alone. */'])
})

test('maps and unions of the contract keep the types of their values', () => {
  const style = { input: false, named: new Map(), indent: '' }
  const either = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  assert.equal(bareTypeOf(either, style), 'string | null')
  assert.equal(bareTypeOf({ type: 'array', items: either }, style), '(string | null)[]')
  assert.equal(bareTypeOf({ type: 'object', additionalProperties: either }, style), 'Record<string, string | null>')
  assert.equal(bareTypeOf({ type: 'object', additionalProperties: true }, style), 'Record<string, unknown>')
})

type Sent = { method: string; url: URL; body: Record<string, unknown> | undefined }

const sampleOf = (schema: { type?: string | string[]; enum?: unknown[] }): unknown => {
  if (schema.enum !== undefined) return schema.enum[0]
  const type = [schema.type].flat()[0]
  return { integer: 3, number: 2.5, boolean: true, array: [], object: {} }[String(type)] ?? 'a/b c'
}

const fieldsOf = (schema: Endpoint['params'] | Endpoint['body']) => {
  const properties = (schema as { properties?: Record<string, object> } | undefined)?.properties ?? {}
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sampleOf(field)]))
}

test('every operation of /v1 can be called, and sends every field as the contract says', async () => {
  const declared = contracts
    .flatMap((contract) => Object.entries<Endpoint>(contract))
    .filter(([, { path }]) => path.startsWith('/v1/'))
  const described = Object.entries(describeVitrine('0').paths as Record<string, object>)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }: { operationId: string }) => operationId))
  assert.deepEqual(described.sort(), Object.keys(operations).sort())
  for (const [name, endpoint] of declared) {
    const { params, query, body } = endpoint
    const [inPath, inQuery, inBody] = [fieldsOf(params), fieldsOf(query), fieldsOf(body)]
    const { sent, answer } = await callWith(endpoint, name, { ...inPath, ...inQuery, ...inBody })
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(inPath[field])))
    assert.deepEqual([sent.method, sent.url.pathname], [endpoint.method, `/base${path}`], name)
    const texts = Object.entries(inQuery).map(([field, value]) => [field, String(value)])
    assert.deepEqual([...sent.url.searchParams], texts, name)
    assert.deepEqual(sent.body, body === undefined ? undefined : inBody, name)
    if (endpoint.okStatus === 204) assert.equal(answer, undefined)
    else if (endpoint.okStatus !== 302) assert.ok(answer, name)
  }
})

const callWith = async (endpoint: Endpoint, name: string, input: Record<string, unknown>) => {
  const all: Sent[] = []
  const status = endpoint.okStatus ?? 200
  const text = endpoint.ok === null ? null : JSON.stringify(endpoint.example)
  const shop = createClient({
    ...{ url: 'http://service.test/base/', storeKey: 'vpk_test' },
    fetch: async (address, init) => {
      const sent = { method: init?.method ?? '', url: new URL(String(address)) }
      all.push({ ...sent, body: init?.body === undefined ? undefined : JSON.parse(String(init.body)) })
      return new Response(text, { status, headers: { location: 'http://service.test/file' } })
    },
  })
  const method = shop[name as keyof Client] as (...args: unknown[]) => Promise<unknown>
  const answer = await (Object.keys(input).length === 0 ? method() : method(input))
  return { sent: all.at(-1) as Sent, answer }
}

test(`the client is smaller than ${largestBytes} bytes, packed`, async (t) => {
  const text = await bundle('esm')
  const packed = gzipSync(text, { level: 9 }).byteLength
  t.diagnostic(`${Buffer.byteLength(text)} bytes, ${packed} gzipped`)
  assert.ok(packed < largestBytes, `${packed} bytes`)
})

test('the documented sizes are about right', async () => {
  const text = await bundle('esm')
  const real = [Buffer.byteLength(text), gzipSync(text, { level: 9 }).byteLength]
  for (const document of ['sdk/README.md', 'docs/sdk.md']) {
    const [, whole, packed] =
      /([\d.]+) kB minified, ([\d.]+) kB gzipped/.exec(readFileSync(new URL(document, root), 'utf8')) ?? []
    for (const [i, written] of [whole, packed].entries()) {
      const off = Math.abs(Number(written) * 1000 - (real[i] as number))
      assert.ok(off < 500, `${document} says ${written} kB, and it is ${real[i]} bytes`)
    }
  }
})

test('the client only uses APIs of browsers and edge runtimes', async () => {
  const answers = [new Response('[]', { headers: { 'x-guest-token': 'gst_a.b.c' } }), new Response('{"id":"cart_1"}')]
  // No process, no Buffer, no require, no fetch: the test passes one in.
  const bare = createContext({
    ...{ AbortController, Headers, crypto, setTimeout, clearTimeout },
    handed: async () => answers.shift() ?? new Response('<html>'),
  })
  const code = `${await bundle('iife')}
    const shop = vitrine.createClient({ url: 'http://service.test', storeKey: 'k', fetch: handed, retries: 0 });
    (async () => [
      (await shop.addToCart({ productId: 'prod_1' })).id,
      await shop.guestToken(),
      await shop.showStore().catch((error) => error.code),
    ].join(' '))()`
  assert.equal(await runInContext(code, bare), 'cart_1 gst_a.b.c BAD_ANSWER')
})

test('an error says what it is', () => {
  const error = new VitrineError('NOT_FOUND', 'There is nothing here.', { status: 404 })
  assert.deepEqual([String(error), error.requestId], ['VitrineError: There is nothing here.', null])
})
