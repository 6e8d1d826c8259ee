import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type Answer, callUrl, startTestService, type TestService } from '../../test/harness.ts'
import { robotsText, shopAddresses } from './addresses.ts'
import { openDemoShop } from './fixture.ts'
import { createShopServer } from './shop.routes.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const titleOf = ({ text }: Answer) => /<title>(.*?)<\/title>/s.exec(text)?.[1]
const metaOf = ({ text }: Answer, name: string) => new RegExp(`name="${name}" content="(.*?)"`, 's').exec(text)?.[1]
const canonicalOf = ({ text }: Answer) => /<link rel="canonical" href="(.*?)"/.exec(text)?.[1]
/** The structured data as a crawler reads it: up to the first `</script`. */
const dataOf = ({ text }: Answer) => {
  const [, json] = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script/is.exec(text) ?? []
  return json === undefined ? undefined : JSON.parse(json)
}

test('a product page has a title, a canonical address and structured data', async (t) => {
  const { url, shop } = await openDemoShop(service, t)
  await shop.add({
    name: 'Enamel tiffin',
    slug: 'tiffin',
    description: 'Three tiers,\n  one clip.',
    category: 'Kitchen',
    images: ['https://pictures.example/tiffin.jpg'],
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { sku: 'T-RED', title: 'Red', options: { Colour: 'Red' }, price: 899, stock: 0 },
      { sku: 'T-BLUE', title: 'Blue', options: { Colour: 'Blue' }, price: 949.5, stock: 4 },
    ],
  })
  const { json: product } = await shop.get('/v1/products/tiffin')
  const [red, blue] = product.variants
  const page = await callUrl(`${url}/product/tiffin`)
  assert.equal(page.status, 200)
  assert.equal(titleOf(page), `Enamel tiffin · ${(await shop.load()).name}`)
  assert.equal(metaOf(page, 'description'), 'Three tiers, one clip.')
  assert.equal(canonicalOf(page), `${url}/product/tiffin`)
  assert.equal(metaOf(page, 'robots'), undefined)
  const offer = {
    '@type': 'Offer',
    priceCurrency: product.currency,
    itemCondition: 'https://schema.org/NewCondition',
  }
  assert.deepEqual(dataOf(page), {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Enamel tiffin',
    description: 'Three tiers,\n  one clip.',
    category: 'Kitchen',
    image: ['https://pictures.example/tiffin.jpg'],
    sku: 'T-BLUE',
    url: `${url}/product/tiffin`,
    offers: [
      {
        ...offer,
        ...{ name: 'Red', sku: 'T-RED', price: 899, availability: 'https://schema.org/OutOfStock' },
        url: `${url}/product/tiffin?variant=${red.id}`,
      },
      {
        ...offer,
        ...{ name: 'Blue', sku: 'T-BLUE', price: 949.5, availability: 'https://schema.org/InStock' },
        url: `${url}/product/tiffin?variant=${blue.id}`,
      },
    ],
  })
  // The canonical address does not depend on how the product was found.
  for (const path of [`/product/${product.id}`, `/product/tiffin?variant=${red.id}`, '/product/tiffin/']) {
    const other = await callUrl(`${url}${path}`)
    assert.equal(canonicalOf(other), `${url}/product/tiffin`, path)
  }
  assert.equal(dataOf(await callUrl(`${url}/product/tiffin?variant=${red.id}`)).sku, 'T-RED')
})

test('no text of a product can close a script or an attribute', async (t) => {
  const { url, shop } = await openDemoShop(service, t)
  const name = 'Mug "</script><script>alert(1)</script><!--" & $& more'
  await shop.add({ name, slug: 'bad-mug', description: '"><img src=x onerror=alert(1)>', price: 1, stock: 1 })
  const page = await callUrl(`${url}/product/bad-mug`)
  assert.equal(page.status, 200)
  const saved = (await shop.get('/v1/products/bad-mug')).json
  assert.equal(dataOf(page).name, saved.name)
  assert.equal(dataOf(page).description.trim(), '"', 'its text, without tags')
  assert.match(saved.name, /<\/script>/)
  assert.equal(page.text.match(/<script/g)?.length, 3, 'the data, the configuration and the program')
  assert.doesNotMatch(page.text, /<img|<!--/)
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /unsafe-inline/)
})

test('a category page has a title and breadcrumbs', async (t) => {
  const { url, shop } = await openDemoShop(service, t)
  await shop.add({ name: 'Ladle', price: 1, stock: 1, category: 'Home > Kitchen & more' })
  const page = await callUrl(`${url}/category/kitchen-more`)
  assert.equal(page.status, 200)
  assert.equal(titleOf(page), `Kitchen &amp; more · ${(await shop.load()).name}`)
  assert.equal(canonicalOf(page), `${url}/category/kitchen-more`)
  assert.deepEqual(
    dataOf(page).itemListElement.map(({ name, item }: { name: string; item: string }) => [name, item]),
    [
      ['Home', `${url}/category/home`],
      ['Kitchen & more', `${url}/category/kitchen-more`],
    ],
  )
})

test('an unknown page, product or category is a 404 with noindex', async (t) => {
  const { url, shop } = await openDemoShop(service, t)
  const elsewhere = await openDemoShop(service, t)
  await elsewhere.shop.add({ name: 'Theirs', slug: 'theirs', price: 1, stock: 1 })
  await shop.add({ name: 'Not yet', slug: 'not-yet', price: 1, stock: 1, status: 'DRAFT' })
  const missing = {
    '/nowhere': 'Page not found',
    '/%C3%A9': 'Page not found',
    '/product': 'Page not found',
    '/page/nothing': 'Page not found',
    '/product/nothing': 'Product not found',
    '/product/theirs': 'Product not found',
    '/product/not-yet': 'Product not found',
    '/category/nothing': 'Category not found',
    '/product/a%00b': 'Page not found',
    '/product/%E0%A4%A': 'Page not found',
    [`/product/${'x'.repeat(2_000)}`]: 'Page not found',
    [`/${'/'.repeat(10_000)}x`]: 'Page not found',
  }
  for (const [path, title] of Object.entries(missing)) {
    const page = await callUrl(`${url}${path}`, { headers: { 'if-none-match': '*' } })
    assert.equal(page.status, 404, path.slice(0, 60))
    assert.equal(titleOf(page), `${title} · ${(await shop.load()).name}`)
    assert.equal(metaOf(page, 'robots'), 'noindex')
    assert.equal(canonicalOf(page), undefined)
    assert.match(page.text, /<div id="app">/)
  }
})

test('an invalid Host header is not echoed', async (t) => {
  const { server } = await openDemoShop(service, t)
  for (const [host, expected] of [
    ['shop.example:8080', 'http://shop.example:8080/page/about'],
    ['"><script>', '/page/about'],
  ] as const) {
    const { body } = await server.inject({ url: '/page/about', headers: { host } })
    assert.equal(/<link rel="canonical" href="(.*?)"/.exec(body)?.[1], expected)
    assert.equal(body.match(/<script/g)?.length, 2)
  }
})

test('a catalog that cannot be read is a 503 with the page, which tries again', async (t) => {
  const { storeId } = await openDemoShop(service, t)
  const server = createShopServer({
    services: { ...service.app.services, db: {} as TestService['db'] },
    ...{
      store: { id: storeId, browserKey: 'vpk_' },
      apiUrl: service.url,
      codeFor: null,
      mailFolder: null,
      logger: service.app.server.log,
    },
  })
  t.after(() => server.close())
  const { statusCode, body } = await server.inject({ url: '/product/mug' })
  assert.equal(statusCode, 503)
  assert.match(body, /<div id="app">/)
})

test('robots.txt allows the catalog and disallows private pages', async (t) => {
  const { url } = await openDemoShop(service, t)
  const { status, headers, text } = await callUrl(`${url}/robots.txt`)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(text, robotsText)
  const refused = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path = '']) => path)
  const isRefused = (path: string) => refused.some((start) => path.startsWith(start))
  for (const path of ['/cart', '/checkout', '/account', '/orders/ord_1', '/search?q=mug', '/dev/code', '/inbox/1']) {
    assert.ok(isRefused(path), path)
  }
  for (const path of ['/', '/product/mug', '/category/mugs', '/page/about', '/assets/main.js']) {
    assert.ok(!isRefused(path), path)
  }
})

test('the server and the script of the shop have the same addresses', () => {
  const source = (name: string) => readFileSync(new URL(`../../demo/src/${name}`, import.meta.url), 'utf8')
  const routes = [...source('main.tsx').matchAll(/^ {2}\['(\/.*?)', \w+\],$/gm)].map(([, pattern = '']) => pattern)
  const pages = [...source('pages/info.tsx').matchAll(/^ {2}'?([a-z-]+)'?: \{$/gm)].map(([, name]) => `/page/${name}`)
  const known = routes.flatMap((pattern) => (pattern === '/page/:name' ? pages : [pattern]))
  assert.ok(known.length > 10)
  assert.deepEqual(shopAddresses.map(({ pattern }) => pattern).sort(), known.sort())
})
