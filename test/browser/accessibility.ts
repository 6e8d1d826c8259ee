import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { BrowserFixture } from './fixture.ts'
import {
  addToCart,
  button,
  cartDrawer,
  fillAddress,
  goToPayment,
  heading,
  openCart,
  sees,
  signIn,
  violationsOf,
} from './steps.ts'

/** A page wider than its window would scroll sideways. */
const assertFits = async (page: Page, name: string) => {
  const [content = 0, window = 0] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]')
  assert.ok(content <= window, `${name} is ${content} wide in a window of ${window}`)
}

/** Skips endless animations, such as that of a placeholder. */
const settled = `Promise.allSettled(document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
  .map((animation) => animation.finished))`

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 900 }
export const looks = [
  { name: 'on a phone, light', viewport: phone, colorScheme: 'light' },
  { name: 'on a desktop, dark', viewport: desktop, colorScheme: 'dark' },
  { name: 'on a desktop, light', viewport: desktop, colorScheme: 'light' },
  { name: 'on a phone, dark', viewport: phone, colorScheme: 'dark' },
] as const

type Look = (typeof looks)[number]

/** Visits all pages and returns their violations. Each visit uses the next look of the rotation. */
export const findViolations = async (fixture: BrowserFixture, rotation: readonly Look[]): Promise<string[]> => {
  const { page } = await fixture.newShopper({ bypassCSP: true })
  let visits = 0
  let lookName = ''
  const violations: string[] = []
  const check = async (place: string) => {
    const name = `${place} ${lookName}`
    // Images that still load and colours that still fade in would be checked too early.
    await page.waitForLoadState('networkidle')
    await page.evaluate(settled)
    violations.push(...(await violationsOf(page, name)))
    await assertFits(page, name)
  }
  const visit = async (path: string) => {
    const look = rotation[visits++ % rotation.length]
    assert.ok(look)
    lookName = look.name
    // Before the page is loaded, because changing the scheme of an open page starts a transition.
    await page.setViewportSize(look.viewport)
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.goto(path)
    await sees(heading(page, /./))
    await check(path)
  }
  await visit('/')
  await visit('/category/kitchen')
  await visit('/category/clothing?options=Size:S')
  await sees(page.getByRole('group', { name: 'Size' }))
  await check('chosen options')
  await visit('/search?q=chai')
  await visit('/search?q=runing+sheos')
  await visit('/search?q=nothing-like-this')
  await visit('/nowhere')
  await addToCart(page, 'cafe-au-lait-mug')
  await check('the cart')
  await page.keyboard.press('Escape')
  await check('a product')
  await visit('/wishlist')
  await visit('/sign-in')
  await visit('/forgot-password')
  await page.getByLabel('E-mail address').fill('asha@kavya.example')
  await button(page, 'Send link').click()
  await sees(heading(page, 'Check your mail'))
  await check('a requested link')
  await visit('/reset-password')
  await visit('/reset-password?token=rst_unknown')
  await visit('/verify-email?token=vrf_unknown')
  await visit('/inbox')
  await visit('/checkout')
  await signIn(page, '+919876543210')
  await sees(button(page, /^Pay ₹/))
  await check('the checkout')
  await fillAddress(page)
  await goToPayment(page)
  await check('the payment page')
  await button(page, 'Pay').click()
  await sees(heading(page, 'Thank you, your order is paid'))
  await check('the way back')
  await page.getByRole('link', { name: 'See your order' }).click()
  await sees(page.getByTestId('order-status'))
  await check('an order')
  for (const path of ['/orders', '/addresses', '/account', '/downloads']) await visit(path)
  await openCart(page)
  await sees(cartDrawer(page).getByText('Your cart is empty'))
  await check('an empty cart')
  for (const path of ['/docs/guide', '/docs/guide/checkout-and-payment', '/docs/guide/errors']) {
    await visit(`${fixture.service.config.publicUrl}${path}`)
  }
  return violations
}
