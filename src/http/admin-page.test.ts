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

test('files are cached for good under a name that changes with their content, and the document is asked for again', async () => {
  const { files, page } = await bundlePage(adminPage)
  for (const name of files.keys()) {
    assert.match(name, /-[A-Z0-9]{8}\.(js|css)$/)
    const { headers } = await service.call(`/admin/assets/${name}`)
    assert.match(headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
  }
  const { headers, text } = await service.call('/admin')
  assert.equal(headers.get('cache-control'), 'no-cache')
  assert.equal(text, page)
})

/** The scripts that a script imports before it runs, and those that these import. */
const importsOf = (files: ReadonlyMap<string, string>, name: string): string[] =>
  [...(files.get(name) ?? '').matchAll(/\b(?:from|import)"\/admin\/assets\/([\w-]+\.js)"/g)]
    .map(([, imported = '']) => imported)
    .flatMap((imported) => [imported, ...importsOf(files, imported)])

test('the document names every script of the first screen, so that a slow line waits for them once', async () => {
  const { files, page } = await bundlePage(adminPage)
  const [, main = ''] = page.match(/<script type="module" src="\/admin\/assets\/(main-\w+\.js)">/) ?? []
  const needed = new Set(importsOf(files, main))
  assert.ok(needed.size > 0)
  const preloaded = [...page.matchAll(/<link rel="modulepreload" href="\/admin\/assets\/([\w-]+\.js)">/g)]
  assert.deepEqual(preloaded.map(([, name]) => name).sort(), [...needed].sort())
})

test('the JavaScript of the page is under 100 kB gzipped, and what the first screen needs under 40 kB', async () => {
  const { files, page } = await bundlePage(adminPage)
  const sizeOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '').length, 0)
  const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
  const all = sizeOf(scripts)
  assert.ok(all > 5_000 && all < 100_000, `${all} bytes in all`)
  const first = sizeOf(scripts.filter((name) => page.includes(name)))
  assert.ok(first > 5_000 && first < 40_000, `${first} bytes at first`)
})
