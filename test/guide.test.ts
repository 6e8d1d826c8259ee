import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { guidePages, guideSections } from '../src/http/guide-contents.ts'
import { renderMarkdown } from '../src/http/guide-markdown.ts'
import { showGuidePage } from '../src/http/guide-page.ts'
import { documents } from './documents.ts'
import { assertError, serviceFor, startTestService, type TestService } from './harness.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const decisions = documents.filter((path) => path.startsWith('docs/decisions/'))
const addresses = [
  '/docs/guide',
  ...guidePages.map(({ page }) => `/docs/guide/${page}`),
  ...decisions.map((path) => `/docs/guide/${path.slice('docs/'.length, -'.md'.length)}`),
]

const readPages = async () =>
  new Map(await Promise.all(addresses.map(async (path) => [path, await service.call(path)] as const)))

const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, found = '']) => found)

test('every page is HTML with a language, one title, one main heading and the contents beside it', async () => {
  for (const [path, { status, headers, text }] of await readPages()) {
    assert.equal(status, 200, path)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(text, /^<!doctype html>\n<html lang="en">/, path)
    assert.equal(all(/<(title)>[^<]+<\/title>/g, text).length, 1, path)
    assert.equal(all(/<(h1)\b/g, text).length, 1, `${path} should have one h1`)
    for (const { page } of guidePages) assert.ok(text.includes(`href="/docs/guide/${page}"`), `${path} misses ${page}`)
    assert.equal(
      all(/aria-current="(page)"/g, text).length,
      guidePages.some(({ page }) => path.endsWith(`/${page}`)) ? 1 : 0,
    )
  }
})

test('heading levels are not skipped, and headings have unique anchors', async () => {
  for (const [path, { text }] of await readPages()) {
    const [, article = ''] = /<article>([\s\S]+)<\/article>/.exec(text) ?? []
    const depths = all(/<h(\d)/g, article).map(Number)
    for (const [i, depth] of depths.entries()) {
      assert.ok(depth <= (depths[i - 1] ?? 0) + 1, `${path}: the heading ${i + 1} skips a level`)
    }
    const ids = all(/\bid="([^"]+)"/g, text)
    assert.deepEqual(ids, [...new Set(ids)], `${path} has an id twice`)
  }
})

test('every link of every page points to an existing page and anchor', async () => {
  const pages = await readPages()
  let links = 0
  for (const [path, { text }] of pages) {
    for (const written of all(/href="([^"]+)"/g, text)) {
      const own = service.config.publicUrl
      const href = written.startsWith(`${own}/`) ? written.slice(own.length) : written
      if (/^(https?:|data:)/.test(href)) continue
      const [target = '', anchor] = href.split('#')
      const place = target === '' ? path : target
      const found = pages.get(place) ?? (await service.call(place))
      assert.equal(found.status, 200, `${path} links to ${href}`)
      if (anchor) assert.ok(found.text.includes(`id="${anchor}"`), `${path} links to ${href}: there is no such part`)
      links++
    }
  }
  assert.ok(links > 500, 'the links were not found')
})

test('a page has no scripts and no foreign resources', async () => {
  for (const [path, { headers, text }] of await readPages()) {
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'self'; /, path)
    assert.doesNotMatch(policy, /unsafe|script-src|\*/)
    assert.doesNotMatch(text, /<script|<style|\sstyle=|\son\w+="|javascript:|<img|src=/, path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  const style = await service.call('/docs/guide/style.css')
  assert.deepEqual([style.status, style.headers.get('content-type')], [200, 'text/css; charset=utf-8'])
  assert.doesNotMatch(style.text, /url\(|@import/)
})

test('samples use the addresses of this service and its demo shop, and no others', async (t) => {
  const elsewhere = await serviceFor(t, { publicUrl: 'http://localhost:3001', demoPort: 4001 })
  const { text } = await elsewhere.call('/docs/guide/quick-start')
  assert.match(text, /\bAPI=http:\/\/localhost:3001$/m)
  assert.match(text, /storefrontUrl&quot;: &quot;http:\/\/localhost:4001&quot;/)
  assert.doesNotMatch(text, /localhost:3000/)
  const { text: production } = await elsewhere.call('/docs/guide/production')
  assert.match(production, /http:\/\/127\.0\.0\.1:3000\/health/, 'an address of the machine itself stays')
  assert.doesNotMatch(production, /curl[^\n]+localhost/)
})

test('a demo shop with an unknown port keeps its default address', async (t) => {
  const elsewhere = await serviceFor(t, { demoPort: 0 })
  assert.match((await elsewhere.call('/docs/guide/quick-start')).text, /http:\/\/localhost:3001/)
})

test('each cell of a table names its column', () => {
  const show = (markdown: string) => renderMarkdown(markdown, { file: 'a.md', knows: () => false }).html
  const html = show('| call | the `does` | |\n|---|---|---|\n| a | b | c |\n')
  assert.deepEqual(all(/<td role="cell"([^>]*)>[abc]/g, html), ['', ' data-label="the does"', ''])
  assert.deepEqual(all(/<th role="columnheader">(.+?)<\/th>/g, html), ['call', 'the <code class="short">does</code>'])
  assert.doesNotMatch(show('| a | b" onclick="x |\n|---|---|\n| 1 | 2 |\n'), /" onclick="x/)
})

test('a page with a matching ETag is 304', async () => {
  for (const path of ['/docs/guide', '/docs/guide/errors', '/docs/guide/style.css']) {
    const first = await service.call(path)
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^W\/".+"$/)
    const again = await service.call(path, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.text], [304, ''])
    assert.equal((await service.call(`${path}/`)).headers.get('etag'), etag)
  }
})

test('files that are not pages of the guide are 404', async () => {
  const none = [
    'nothing',
    'errors.md',
    'errors/more',
    '../package',
    '%2e%2e%2fREADME',
    'decisions',
    'decisions/0000-nothing',
  ]
  for (const page of [...none, 'decisions/%2e%2e%2ferrors', 'decisions/..%2f..%2fREADME', 'constructor', '%00']) {
    assertError(await service.call(`/docs/guide/${page}`), 404, 'NOT_FOUND')
  }
})

test('the contents list every page once, in reading order', async () => {
  const { text } = await service.call('/docs/guide')
  const [, article = ''] = /<article>([\s\S]+)<\/article>/.exec(text) ?? []
  const listed = all(/<dt><a href="\/docs\/guide\/([^"]+)"/g, article)
  assert.deepEqual(
    listed,
    guidePages.map(({ page }) => page),
  )
  assert.deepEqual([listed[0], new Set(listed).size], ['quick-start', listed.length])
  for (const { title } of guideSections) assert.ok(article.includes(`<h2>${title}</h2>`))
})

test('HTML in Markdown is escaped, and unsafe links are removed', () => {
  const place = { file: 'page.md', knows: (page: string) => page === 'other' || page === 'decisions/0001-one' }
  const show = (markdown: string) => renderMarkdown(markdown, place).html
  const hostile =
    '<img src=x onerror=alert(1)>\n\ntext <b onclick="x">b</b> & `<script>`\n\n```sh" onclick="x\n<script>\n```\n'
  assert.doesNotMatch(show(hostile), /<(img|b|script)\b|" onclick="x"/)
  assert.match(show('# A <b>\n'), /<h1 id="a-b">A &lt;b&gt;<\/h1>/)
  const titles = '# A </title><script>x\n## "B" <i onclick="x">\n## C & D\n## E\n'
  const page = showGuidePage('page', renderMarkdown(titles, place))
  assert.doesNotMatch(page, /<script|<i |<\/title><|“"/)
  assert.match(page, />C &amp; D<\/a>/)
  for (const target of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//elsewhere.example',
    '/etc/passwd',
    'JAVASCRIPT:x',
  ]) {
    assert.doesNotMatch(show(`[x](${target})`), /href/, target)
  }
  const hrefOf = (target: string) => all(/href="([^"]+)"/g, show(`[x](${target})`))[0]
  assert.equal(hrefOf('other.md#part'), '/docs/guide/other#part')
  assert.equal(hrefOf('decisions/0001-one.md'), '/docs/guide/decisions/0001-one')
  assert.equal(hrefOf('../openapi.json'), '/openapi.json')
  assert.equal(hrefOf('#here'), '#here')
  assert.equal(hrefOf('https://vitrine.example/?a=1&b=2'), 'https://vitrine.example/?a=1&amp;b=2')
  for (const target of ['unknown.md', '../README.md', '../../other.md', '../src/app.ts']) {
    assert.equal(hrefOf(target), undefined, target)
  }
})

test('headings with the same text get different anchors', () => {
  const { headings } = renderMarkdown('# A\n\n## Part\n\n## Part\n', { file: 'a.md', knows: () => false })
  assert.deepEqual(
    headings.map(({ id }) => id),
    ['a', 'part', 'part-1'],
  )
})
