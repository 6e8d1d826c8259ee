import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserTest } from './fixture.ts'
import { becomes, button, heading, reload, sees } from './steps.ts'

/** The title follows the heading by a frame. */
const titleBecomes = async (page: Page, wanted: RegExp) => {
  for (let frames = 0; frames < 100 && !wanted.test(await page.title()); frames++) {
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
  assert.match(await page.title(), wanted)
}

browserTest('the image follows the chosen variant, until the shopper picks another image', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  const oat = page.locator('.gallery .frame img[src$="cafe-au-lait-mug.svg"]')
  const indigo = page.locator('.gallery .frame img[src$="cafe-au-lait-mug-indigo.svg"]')
  await page.goto('/product/cafe-au-lait-mug')
  await sees(oat)
  await page.getByRole('radio', { name: 'Indigo' }).check({ force: true })
  await sees(indigo)
  await becomes(() => indigo.getAttribute('alt'), 'Café au lait mug, Indigo')
  await reload(page, indigo)
  await button(page, 'Picture 1').click()
  await sees(oat)
  await becomes(() => button(page, 'Picture 1').getAttribute('aria-pressed'), 'true')
  await page.getByRole('radio', { name: 'Oat' }).check({ force: true })
  await page.getByRole('radio', { name: 'Indigo' }).check({ force: true })
  await sees(indigo)
  assert.deepEqual(pageErrors, [])
})

browserTest('a missing or broken image leaves a placeholder with its size and name', async (fixture) => {
  const { db } = fixture.service
  await db.run`update category set image = '' where store_id = ${fixture.store.id} and slug = 'clothing'`
  const { page } = await fixture.newShopper()
  await page.route(/masala-dabba\.svg$/, (route) => route.fulfill({ status: 404 }))
  const sizeOf = async (path: string) => {
    const box = await page.locator(path).boundingBox()
    return box && { width: box.width, height: box.height }
  }
  await page.goto('/')
  const tile = (slug: string) => `.category-tiles a[href="/category/${slug}"] img`
  await sees(page.locator(`${tile('clothing')}.no-picture`))
  assert.deepEqual(await sizeOf(tile('clothing')), await sizeOf(tile('home')))
  await page.goto('/product/masala-dabba')
  const placeholder = page.locator('.gallery img.no-picture')
  await sees(placeholder)
  await becomes(() => placeholder.getAttribute('alt'), 'Masala dabba, seven bowls')
  await becomes(
    () => page.evaluate(`document.querySelector('.gallery img.no-picture').naturalWidth > 0`),
    true,
    'it is drawn',
  )
  assert.deepEqual(await sizeOf('.gallery img.no-picture'), await sizeOf('.gallery .frame'))
})

browserTest('the server and the script give every page the same title', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  const served = async (path: string) => {
    const answer = await page.request.get(path)
    const title = /<title>(.*?)<\/title>/.exec(await answer.text())?.[1] ?? ''
    return { status: answer.status(), title: title.replaceAll('&amp;', '&').replaceAll('&quot;', '"') }
  }
  const paths = [
    ...['/', '/category/kitchen', '/product/cafe-au-lait-mug', '/search', '/search?q=chai', '/page/about'],
    ...['/page/makers', '/page/delivery-and-returns', '/wishlist', '/sign-in', '/account', '/addresses', '/orders'],
    ...['/orders/ord_1', '/downloads', '/cart', '/payment/callback?orderId=ord_1'],
  ]
  for (const path of paths) {
    const { status, title } = await served(path)
    assert.equal(status, 200, path)
    await page.goto(path)
    await sees(heading(page, /./))
    await sees(page.locator('.brand', { hasText: fixture.store.name }))
    await becomes(() => page.title(), title, path)
  }
  assert.deepEqual(pageErrors, [])
  for (const path of ['/nowhere', '/product/nothing', '/category/nothing', '/page/nothing']) {
    const { status, title } = await served(path)
    assert.equal(status, 404, path)
    await page.goto(path)
    await sees(heading(page, /not found/))
    await sees(page.locator('.brand', { hasText: fixture.store.name }))
    await becomes(() => page.title(), title, path)
  }
})

browserTest('the next page has its own metadata and every link of the menu', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/product/cafe-au-lait-mug')
  await sees(button(page, 'Add to cart'))
  const data = page.locator('script[type="application/ld+json"]')
  const product = JSON.parse((await data.textContent()) ?? '{}')
  assert.equal(product.offers.length, 2)
  assert.equal(product.offers[0].priceCurrency, 'INR')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Kitchen' }).click()
  await sees(heading(page, 'Kitchen'))
  await titleBecomes(page, /^Kitchen · /)
  await becomes(() => data.count(), 0)
  await becomes(() => page.locator('link[rel="canonical"]').count(), 0)
  const links = await page.getByRole('contentinfo').locator('a[href^="/"]').all()
  assert.ok(links.length > 10)
  for (const link of links) {
    const path = (await link.getAttribute('href')) ?? ''
    assert.equal((await page.request.get(path)).status(), 200, path)
  }
  assert.deepEqual(pageErrors, [])
})

browserTest('a page that fails to load does not keep the previous title', async (fixture) => {
  const { page } = await fixture.newShopper()
  await page.goto('/category/kitchen')
  await sees(heading(page, 'Kitchen'))
  await page.route(/\/v1\/products\/masala-dabba/, (route) => route.abort())
  await page
    .getByRole('link', { name: /Masala dabba/ })
    .first()
    .click()
  await sees(heading(page, 'This page could not be loaded'))
  await titleBecomes(page, /^This page could not be loaded/)
})

browserTest(
  'a category and a search are narrowed by size and colour, and the address keeps the choice',
  async (fixture) => {
    const { page, pageErrors } = await fixture.newShopper()
    const names = page.locator('main .card-name')
    const shows = async (...wanted: string[]) => {
      await names.nth(wanted.length).waitFor({ state: 'detached' })
      await names.nth(wanted.length - 1).waitFor()
      assert.deepEqual((await names.allTextContents()).sort(), wanted.sort())
    }
    await page.goto('/category/clothing')
    await page.getByText('Options', { exact: true }).click()
    const sizes = page.getByRole('group', { name: 'Size' })
    const offered = (await sizes.getByRole('checkbox').count()) > 3
    assert.ok(offered)
    assert.deepEqual((await sizes.locator('span').allTextContents()).slice(0, 2), ['S', 'M'])
    await sizes.getByRole('checkbox', { name: 'S', exact: true }).check({ force: true })
    await shows('Block print cotton kurta', 'Khadi cotton shirt')
    await page.getByRole('group', { name: 'Colour' }).getByRole('checkbox', { name: 'Rust' }).check({ force: true })
    await shows('Block print cotton kurta')
    await reload(page, sizes.getByRole('checkbox', { name: 'S', exact: true }))
    assert.equal(new URL(page.url()).searchParams.get('options'), 'Size:S,Colour:Rust')
    await becomes(
      () => sizes.getByRole('checkbox', { name: 'S', exact: true }).isChecked(),
      true,
      'the choice is seen at once',
    )
    await shows('Block print cotton kurta')
    await button(page, 'Clear filters').click()
    await sees(page.getByRole('link', { name: /juttis/i }))
    await page.goto('/search?q=cotton&options=Colour:Indigo')
    await sees(page.getByRole('link', { name: /kurta/i }))
    await becomes(() => page.getByRole('checkbox', { name: 'Indigo' }).isChecked(), true)
    await becomes(() => page.getByRole('link', { name: /khadi/i }).count(), 0)
    assert.deepEqual(pageErrors, [])
  },
)
