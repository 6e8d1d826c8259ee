import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserTest } from './fixture.ts'
import {
  addToCart,
  becomes,
  button,
  cartDrawer,
  fillAddress,
  heading,
  orderIdOf,
  orderUpToPayment,
  sees,
  signIn,
  tellPaid,
} from './steps.ts'

const phone = '+919876543210'
const otherPhone = '+919876543299'

const signInAs = async (page: Page, number: string) => {
  await page.goto('/sign-in')
  await signIn(page, number)
  await sees(page.getByText(/^You are signed in/))
  await sees(page.getByText(`Signed in with ${number}`))
}

/** Reads of an order that wait for a change, by the clock of the page. */
type Read = { askedAt: number; answeredAt?: number }
const notedReads = `{
  const { fetch } = window
  window.reads = []
  window.fetch = async (...asked) => {
    if (!/[?&]wait=/.test(asked[0].url ?? asked[0])) return fetch(...asked)
    const read = { askedAt: Date.now() }
    reads.push(read)
    const answer = await fetch(...asked)
    read.answeredAt = Date.now()
    return answer
  }
}`

/** Long enough for a page to send a request that it is about to send. */
const letPageAct = async (page: Page) => {
  for (let turn = 0; turn < 3; turn++) await page.evaluate(`fetch('/assets/style.css').then((answer) => answer.text())`)
}

browserTest('an open tab shows nothing of the previous customer after another one signs in', async (fixture) => {
  const other = await fixture.newShopper()
  await signInAs(other.page, otherPhone)
  const session = await other.page.evaluate(`localStorage.getItem('vitrine.session')`)

  const { page, newTab, pageErrors } = await fixture.newShopper()
  await addToCart(page, 'masala-dabba')
  await signInAs(page, phone)
  await page.goto('/checkout')
  await fillAddress(page)
  await page.goto('/account')
  await sees(page.getByText(`Signed in with ${phone}`))
  await sees(button(page, 'Cart, 1 item'))

  const secondTab = await newTab()
  await secondTab.goto('/')
  await sees(button(secondTab, 'Cart, 1 item'))
  await secondTab.evaluate(`
    localStorage.removeItem('vitrine.cartId')
    localStorage.setItem('vitrine.session', ${JSON.stringify(session)})
  `)
  await sees(page.getByText(`Signed in with ${otherPhone}`))
  await sees(button(page, /^Cart$/))
  await becomes(() => page.getByText(phone).count(), 0)
  await becomes(() => page.evaluate(`sessionStorage.getItem('shop.draft.checkout')`), null)
  assert.deepEqual(pageErrors, [])
})

browserTest(
  'signing out ends the session in this browser even when the shop cannot be reached, and says so',
  async (fixture) => {
    const { page } = await fixture.newShopper()
    await signInAs(page, phone)
    await page.route('**/v1/auth/logout', (route) => route.abort())
    await button(page, /^Sign out$/).click()
    await sees(page.getByText('You are signed out in this browser, but the shop could not be reached.'))
    await sees(page.getByRole('link', { name: 'Sign in' }))
    await page.goto('/account')
    await sees(page.getByText('Please sign in to see this page.'))
  },
)

browserTest('going back to an extended list restores all of its pages', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  let lists = 0
  // The demo store has no category of more than a page, so its pages are made smaller here.
  await page.route(/\/v1\/products\?.*category=kitchen/, (route) => {
    lists++
    return route.continue({ url: route.request().url().replace('limit=24', 'limit=4') })
  })
  const products = page.locator('main a[href^="/product/"]')
  const moreButton = button(page, 'Show more')
  await page.goto('/category/kitchen')
  await moreButton.click()
  await products.nth(7).waitFor()
  const shown = await products.allTextContents()
  const before = lists
  await products.nth(6).click()
  await sees(button(page, 'Add to cart'))
  await page.goBack()
  await products.nth(7).waitFor()
  await letPageAct(page)
  assert.deepEqual(await products.allTextContents(), shown)
  assert.equal(lists, before, 'a fresh first page would take the place of the whole list')

  await page.getByRole('link', { name: 'Wishlist' }).click()
  await sees(heading(page, 'Wishlist'))
  await page.getByRole('navigation', { name: 'All categories' }).getByRole('link', { name: 'Kitchen' }).click()
  await products.nth(4).waitFor({ state: 'detached' })
  await sees(products.nth(3))
  assert.equal(lists, before + 1, 'a visit through a link loads the list again')
  assert.deepEqual(pageErrors, [])
})

browserTest('a page that waits for a payment limits its requests', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await signInAs(page, phone)
  await orderUpToPayment(page)
  await button(page, 'Decide later').click()
  await sees(heading(page, 'Waiting for your payment'))
  const orderId = orderIdOf(page)

  // A service that is busy or about to stop answers at once instead of waiting.
  await page.route(/[?&]wait=/, async (route) => {
    const url = route.request().url().replace('wait=20', '')
    await route.fulfill({ response: await route.fetch({ url }) })
  })
  await page.addInitScript(notedReads)
  // The clock of the page only moves when the test moves it, and not while an answer is on its way.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 5_000)
  for (const path of [`/orders/${orderId}`, `/payment/callback?orderId=${orderId}`]) {
    await page.goto(path)
    let reads: Read[] = []
    for (let movedMs = 0; reads.length < 3; ) {
      await letPageAct(page)
      reads = await page.evaluate<Read[]>('reads')
      if (reads.length > 0 && reads.at(-1)?.answeredAt === undefined) continue
      assert.ok(movedMs < 60_000, 'the page has stopped asking')
      await page.clock.runFor(200)
      movedMs += 200
    }
    const pauses = reads.slice(1, 3).map(({ askedAt }, i) => askedAt - (reads[i]?.answeredAt ?? Number.NaN))
    assert.ok((pauses[0] ?? 0) >= 1_000 && (pauses[1] ?? 0) >= 2_000, `${path} paused for ${pauses} ms`)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await tellPaid(fixture, orderId)
  await page.clock.resume()
  await sees(heading(page, 'Thank you, your order is paid'))
  assert.deepEqual(pageErrors, [])
})

browserTest('plus and minus pressed during a request leave the quantity unchanged', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await addToCart(page, 'masala-dabba')
  const quantity = cartDrawer(page).getByRole('spinbutton', { name: /Masala dabba/ })
  const isOnItsWay = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  await page.route(
    (url) => /\/items\//.test(url.pathname),
    async (route) => {
      isOnItsWay.resolve()
      await release.promise
      await route.continue()
    },
    { times: 1 },
  )
  await button(cartDrawer(page), 'One more').click()
  await isOnItsWay.promise
  await button(cartDrawer(page), 'One less').click()
  await becomes(() => quantity.inputValue(), '1')
  release.resolve()
  await sees(cartDrawer(page).getByText(/^Masala dabba.*: 1 in your cart/))
  await becomes(() => quantity.inputValue(), '1')
  await page.reload()
  await sees(button(page, 'Cart, 1 item'))
  assert.deepEqual(pageErrors, [])
})
