import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import type { AxeResults } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { readLatestPayment } from '../../src/features/payments/payments.sql.ts'
import { sandboxEvent } from '../../src/features/payments/sandbox.ts'
import { sandboxHeaders } from '../../src/features/payments/webhook-access.ts'
import { callUrl } from '../harness.ts'
import type { BrowserFixture, Shopper } from './fixture.ts'

/** Actions of shoppers, who find elements by their visible or accessible names. */

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
export const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name })
export const cartDrawer = (page: Page) => page.getByRole('dialog', { name: 'Your cart' })

/** Waits until something is on the page. */
export const sees = (locator: Locator) => locator.first().waitFor()

/** Waits until the page shows the expected value: it renders after an event, not with it. */
export const becomes = async <T>(read: () => Promise<T>, expected: T, message = 'what the page shows') => {
  for (let turns = 0; turns < 200 && (await read()) !== expected; turns++) await setTimeout(50)
  assert.equal(await read(), expected, message)
}

/** Reloads the page and waits until it shows the same text. */
export const reload = async (page: Page, ...shown: Locator[]) => {
  await page.reload()
  for (const locator of shown) await sees(locator)
}

export const addToCart = async (page: Page, slug: string) => {
  await page.goto(`/product/${slug}`)
  await button(page, 'Add to cart').click()
  await sees(cartDrawer(page))
}

export const openCart = async (page: Page) => {
  await button(page, /^Cart/).click()
  await sees(cartDrawer(page))
}

/** Signs in with the form of the current page, with the code that the development helper shows. */
export const signIn = async (page: Page, phone: string) => {
  await page.getByLabel('Phone number').fill(phone)
  await button(page, 'Send code').click()
  await button(page, 'Fill it in').click()
  await button(page.locator('form'), /^Sign in$/).click()
}

/** Opens the newest mail to an address in a new tab: of this message, once it is in the inbox. */
export const openMail = async ({ newTab }: Shopper, email: string, message: string) => {
  const tab = await newTab()
  await tab.goto('/inbox')
  const row = tab.getByRole('listitem').filter({ hasText: email }).filter({ hasText: message })
  await row.first().getByRole('link').click()
  await sees(tab.getByTitle('The mail as HTML'))
  return { tab, frame: tab.frameLocator('iframe') }
}

/** Signs in with the form of the current page, with the code in the mail. */
export const signInByMail = async (shopper: Shopper, email: string) => {
  const { page } = shopper
  await page.getByRole('radio', { name: 'E-mail' }).check({ force: true })
  await page.getByLabel('E-mail address').fill(email)
  await button(page, 'Send code').click()
  await sees(page.getByLabel('Code'))
  const { tab, frame } = await openMail(shopper, email, 'otp.code')
  const code = /\b\d{6}\b/.exec(await frame.locator('body').innerText())?.[0]
  assert.ok(code, 'the mail has no code')
  await tab.close()
  await page.getByLabel('Code').fill(code)
  await button(page.locator('form'), /^Sign in$/).click()
}

export const address = {
  'Full name': 'Asha Rao',
  'Phone number': '+91 98765 43210',
  'Street and house': '12 Temple Road',
  'Postal code': '560001',
  City: 'Bengaluru',
}

export const fillAddress = async (page: Page) => {
  for (const [label, text] of Object.entries(address)) await page.getByLabel(label).first().fill(text)
}

/** From the cart of a signed-in customer to the page of the payment provider. */
export const goToPayment = async (page: Page) => {
  await button(page, /^Pay ₹/).click()
  await page.waitForURL(/\/sandbox\//)
}

/** Signs in a new customer and goes to the page of the payment provider. */
export const orderUpToPayment = async (page: Page) => {
  await addToCart(page, 'masala-dabba')
  await page.goto('/checkout')
  await fillAddress(page)
  await goToPayment(page)
}

/** The id of the order, from the page that the payment provider returns to. */
export const orderIdOf = (page: Page) => {
  const id = new URL(page.url()).searchParams.get('orderId') ?? /\/orders\/(\w+)/.exec(page.url())?.[1]
  assert.ok(id, page.url())
  return id
}

/** Sends the webhook of the provider when the test wants it. */
export const tellPaid = async ({ service, store }: BrowserFixture, orderId: string) => {
  const payment = await readLatestPayment(service.db, store.id, orderId)
  const headers = sandboxHeaders(service.app.services.payments, store)
  assert.ok(payment && headers)
  const answer = await callUrl(`${service.url}/webhook/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(sandboxEvent(payment, 'success')),
  })
  assert.equal(answer.status, 200, answer.text)
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations on the current page that axe rates serious or critical. */
export const violationsOf = async (page: Page, name: string) => {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe)
  // Leaves out passed rules, whose descriptions would be sent too.
  const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`
  const violations = await page.evaluate<AxeResults['violations']>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html.slice(0, 150)).join(' and ')}`)
}
