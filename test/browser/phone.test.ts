import assert from 'node:assert/strict'
import { browserTest } from './fixture.ts'
import { addToCart, becomes, button, cartDrawer, heading, sees, signIn } from './steps.ts'

browserTest('the checkout on a phone shows the order and asks for nothing twice', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper({ viewport: { width: 375, height: 800 }, hasTouch: true })
  await addToCart(page, 'masala-dabba')
  await page.goto('/cart')
  await sees(page.getByRole('link', { name: /Masala dabba/ }))
  await page.goto('/checkout')
  await signIn(page, '+919876543210')
  await sees(button(page, /^Pay ₹/))
  await becomes(() => page.getByLabel('Phone number').first().inputValue(), '+919876543210')
  const summary = page.locator('summary').filter({ hasText: 'Your order' })
  const topOf = async (locator: typeof summary) => (await locator.boundingBox())?.y ?? Number.NaN
  assert.ok((await topOf(summary)) < (await topOf(button(page, /^Pay ₹/))), 'the order stands before the button')
  await summary.click()
  const offers = page.getByRole('list', { name: 'Available offers' })
  await becomes(
    () => offers.getByRole('button', { name: /FESTIVE500/ }).isDisabled(),
    true,
    'the cart is too small for it',
  )
  await becomes(() => offers.getByRole('button', { name: /WELCOME10/ }).isEnabled(), true)
  assert.deepEqual(pageErrors, [])
})

browserTest('the shop reports that a cart was emptied in another browser', async (fixture) => {
  const { page, newTab } = await fixture.newShopper()
  await addToCart(page, 'masala-dabba')
  const other = await newTab()
  await other.goto('/cart')
  await button(other, 'Remove Masala dabba, seven bowls').click()
  await sees(heading(other, /cart/i))
  await sees(cartDrawer(page).getByText(/emptied or ordered in another tab/))
})
