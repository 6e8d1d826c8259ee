import assert from 'node:assert/strict'
import { putOnHand } from '../put-on-hand.ts'
import { browserTest } from './fixture.ts'
import { addToCart, becomes, button, cartDrawer, heading, openCart, reload, sees, signIn } from './steps.ts'

const phone = '+919876543210'

browserTest('two tabs show the same cart after a change in either', async (fixture) => {
  const { page: first, newTab, pageErrors } = await fixture.newShopper()
  const second = await newTab()
  await second.goto('/')
  await addToCart(first, 'masala-dabba')
  await sees(button(second, 'Cart, 1 item'))
  await addToCart(second, 'neem-wood-comb')
  await sees(cartDrawer(first).getByText('2 items', { exact: true }))
  await Promise.all([
    button(cartDrawer(first), 'Remove Masala dabba').click(),
    button(cartDrawer(second), 'One more').last().click(),
  ])
  // There are two items before as well, so the one that goes is waited for.
  for (const tab of [first, second]) {
    await button(cartDrawer(tab), 'Remove Masala dabba').waitFor({ state: 'detached' })
    await sees(cartDrawer(tab).getByText('2 items', { exact: true }))
  }
  await becomes(() => cartDrawer(first).getByRole('listitem').count(), 1)
  await second.goto('/sign-in')
  await signIn(second, phone)
  await sees(heading(second, /account/i))
  await first.reload()
  await sees(first.getByRole('link', { name: 'Your account' }))
  await sees(button(first, 'Cart, 2 items'))
  assert.deepEqual(pageErrors, [])
})

browserTest('the carts of two browsers become one when both sign in with one phone number', async (fixture) => {
  const kiosk = await fixture.newShopper()
  await addToCart(kiosk.page, 'masala-dabba')
  await kiosk.page.goto('/sign-in')
  await signIn(kiosk.page, phone)
  await sees(heading(kiosk.page, /account/i))
  const home = await fixture.newShopper({ viewport: { width: 390, height: 844 } })
  await home.page.goto('/product/neem-wood-comb')
  await home.page.getByRole('button', { name: 'Wishlist', exact: true }).click()
  await sees(home.page.getByRole('button', { name: 'Wishlist', exact: true, pressed: true }))
  await addToCart(home.page, 'neem-wood-comb')
  await home.page.goto('/sign-in')
  await signIn(home.page, phone)
  await sees(home.page.getByText('1 product added to your cart, 1 product added to your wishlist'))
  await sees(button(home.page, 'Cart, 2 items'))
  await kiosk.page.reload()
  await sees(button(kiosk.page, 'Cart, 2 items'))
  await home.page.goto('/wishlist')
  await sees(home.page.getByRole('link', { name: /neem wood comb/i }))
  assert.deepEqual([...kiosk.pageErrors, ...home.pageErrors], [])
})

browserTest('the shop on an unknown origin shows an error instead of an empty page', async (fixture) => {
  const { page } = await fixture.newShopper()
  await page.goto(fixture.url.replace('localhost', '127.0.0.1'))
  await sees(page.getByRole('alert'))
  await sees(page.getByText('The shop cannot be reached', { exact: false }))
  await becomes(() => page.getByRole('link', { name: /masala/i }).count(), 0)
  await page.goto(fixture.url)
  await sees(page.getByRole('link', { name: /masala|mug|chai/i }))
  await becomes(() => page.getByRole('alert').count(), 0)
})

browserTest('a search suggests while typing, corrects typos, and keeps filters in the address', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/')
  await page.getByRole('combobox', { name: 'Search the shop' }).pressSequentially('masala d')
  await page.getByRole('option', { name: /Masala dabba/i }).click()
  await sees(heading(page, /Masala dabba/i))
  const box = page.getByRole('combobox', { name: 'Search the shop' })
  await box.fill('runing sheos')
  await box.press('Enter')
  await sees(page.getByRole('link', { name: /running shoes/i }))
  await sees(page.getByText('Showing results for running shoe. Nothing was found for “runing sheos”.'))
  await box.fill('running shoes')
  await page.getByText('Showing results for').waitFor({ state: 'detached' })
  await sees(page.getByRole('link', { name: /running shoes/i }))
  await page.goto('/category/kitchen')
  await sees(page.getByRole('link', { name: /tiffin/i }))
  await page.getByLabel('In stock only').check()
  await Promise.all([page.waitForResponse(/sort=price/), page.getByLabel('Sort by').selectOption('price')])
  await page.waitForURL(/sort=price/)
  const prices = async () => {
    // What a reduced product cost before is crossed out, and no price of the list.
    const shown = page
      .locator('main')
      .getByText(/^₹[\d,.]+$/)
      .and(page.locator(':not(s)'))
    await sees(shown)
    return (await shown.allTextContents()).map((text) => Number(text.replace(/[^\d.]/g, '')))
  }
  const before = await prices()
  assert.ok(before.length > 3, `${before.length} prices`)
  assert.deepEqual(
    before,
    before.toSorted((one, other) => one - other),
  )
  await reload(page, page.getByLabel('In stock only'))
  await becomes(() => page.getByLabel('In stock only').isChecked(), true)
  assert.deepEqual(await prices(), before)
  assert.deepEqual(pageErrors, [])
})

browserTest('the checkout names items that have sold out, and the cart can be corrected', async (fixture) => {
  const { page } = await fixture.newShopper()
  await addToCart(page, 'masala-dabba')
  await page.goto('/checkout')
  await signIn(page, phone)
  await sees(button(page, /^Pay ₹/))
  const { id: productId } = await fixture.service.db.one<{ id: string }>`
    select id from product where store_id = ${fixture.store.id} and slug = 'masala-dabba'`
  await putOnHand(fixture.service.db, fixture.store.id, 0, { productId })
  for (const [label, text] of [
    ['Full name', 'Asha'],
    ['Phone number', phone],
    ['Street and house', '1'],
    ['Postal code', '1'],
    ['City', 'X'],
  ] as const)
    await page.getByLabel(label).first().fill(text)
  await button(page, /^Pay ₹/).click()
  await sees(page.getByRole('alert').getByText(/no longer available/))
  await button(page, /View your cart/).click()
  await sees(cartDrawer(page).getByText(/sold out|out of stock/i))
  await button(cartDrawer(page), /^Remove Masala/).click()
  await sees(page.getByText('Your cart is empty'))
})

browserTest('the keyboard alone is enough up to the cart', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/product/masala-dabba')
  await sees(button(page, 'Add to cart'))
  await page.keyboard.press('Tab')
  await becomes(() => page.evaluate('document.activeElement?.textContent'), 'Skip to content')
  await page.keyboard.press('Enter')
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement?.textContent')) === 'Add to cart') break
  }
  await page.keyboard.press('Enter')
  await sees(cartDrawer(page).getByText('1 item', { exact: true }))
  await becomes(() => page.evaluate(`document.querySelector('dialog[open]')?.contains(document.activeElement)`), true)
  await page.keyboard.press('Escape')
  await cartDrawer(page).waitFor({ state: 'hidden' })
  await becomes(() => page.evaluate('document.activeElement?.textContent'), 'Add to cart', 'the focus comes back')
  await openCart(page)
  assert.deepEqual(pageErrors, [])
})
