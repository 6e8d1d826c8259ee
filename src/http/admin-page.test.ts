import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertError, startTestService, type TestService } from '../../test/harness.ts'
import { adminPage, bundlePage } from './page-assets.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('every address below /admin is the page, with a strict policy and without a word in the document', async () => {
  for (const path of ['/admin', '/admin/', '/admin/sign-in?next=%2Fadmin', '/admin/store_1/orders/17']) {
    const { status, headers, text } = await service.call(path)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.doesNotMatch(text, /<script(?![^>]* src=)|style=|onclick=/)
    for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      assert.equal((await service.call(file)).status, 200, file)
    }
  }
})

test('the API keeps its own answers below /admin', async () => {
  for (const path of ['/admin/v1', '/admin/v1/nothing', '/admin/v2/x', '/admin/assets/nothing.js', '/admin/assets'])
    assertError(await service.call(path), 404, 'NOT_FOUND')
  assertError(await service.call('/admin/v1/session'), 401, 'UNAUTHORIZED')
  assertError(await service.call('/admin/orders', { method: 'POST' }), 404, 'NOT_FOUND')
  assert.equal((await service.call('/admin/openapi.json')).status, 200)
})

test('files that are loaded on demand are cached for good, and the others are asked for again', async () => {
  const { files } = await bundlePage(adminPage)
  for (const name of files.keys()) {
    const { headers } = await service.call(`/admin/assets/${name}`)
    const isNamedByContent = !/^(main\.js|style\.css)$/.test(name)
    assert.equal(headers.get('cache-control')?.includes('immutable'), isNamedByContent, name)
  }
})

test('the JavaScript of the page is under 100 kB gzipped, and what the first screen needs under 40 kB', async () => {
  const { files } = await bundlePage(adminPage)
  const sizeOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '').length, 0)
  const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
  const all = sizeOf(scripts)
  assert.ok(all > 5_000 && all < 100_000, `${all} bytes in all`)
  const imported = [...(files.get('main.js') ?? '').matchAll(/from"\.\/([\w-]+\.js)"|^import"\.\/([\w-]+\.js)"/gm)]
  const first = sizeOf(['main.js', ...imported.map(([, from, bare]) => from ?? bare ?? '')])
  assert.ok(first < 40_000, `${first} bytes at first`)
})
