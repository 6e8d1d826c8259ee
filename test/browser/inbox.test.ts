import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest, type Shopper } from './fixture.ts'
import {
  addToCart,
  becomes,
  button,
  fillAddress,
  goToPayment,
  heading,
  openMail,
  orderIdOf,
  sees,
  signInByMail,
  tellPaid,
  violationsOf,
} from './steps.ts'

const password = 'seven wooden spoons'

/** Creates an account with a password on the current page. */
const signUp = async ({ page }: Shopper, email: string) => {
  await page.goto('/sign-in')
  await page.getByRole('radio', { name: 'Password' }).check({ force: true })
  await button(page, 'Create an account').click()
  await page.getByLabel('Name').fill('Asha Rao')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await button(page, 'Create account').click()
  await sees(page.getByText(`Signed in with ${email}`))
}

browserTest('a guest signs in with a code sent by mail; the cart comes along', async (fixture) => {
  const email = 'meera@kavya.example'
  const shopper = await fixture.newShopper()
  const { page, pageErrors } = shopper
  await addToCart(page, 'masala-dabba')
  await page.goto('/sign-in')
  await signInByMail(shopper, email)
  await sees(page.getByText('You are signed in. 1 product added to your cart.'))
  await sees(page.getByText(`Signed in with ${email}`))
  await sees(page.getByText(`${email} is confirmed.`))
  assert.deepEqual(pageErrors, [])
})

browserTest('a shopper who forgot the password chooses a new one with the link in a mail', async (fixture) => {
  const email = 'asha@kavya.example'
  await signUp(await fixture.newShopper(), email)
  const shopper = await fixture.newShopper()
  const { page } = shopper
  await page.goto('/sign-in')
  await page.getByRole('radio', { name: 'Password' }).check({ force: true })
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await becomes(() => page.getByLabel('E-mail address').inputValue(), email, 'the address is not typed twice')
  await button(page, 'Send link').click()
  await sees(heading(page, 'Check your mail'))
  await becomes(() => page.evaluate(`document.activeElement.tagName`), 'H1', 'the focus is on the new text')

  const { frame, tab } = await openMail(shopper, email, 'password.reset')
  const opening = tab.waitForEvent('popup')
  await frame.getByRole('link', { name: 'Choose a new password' }).click()
  const reset = await opening
  await sees(heading(reset, 'Choose a new password'))
  assert.equal(reset.url(), `${fixture.url}/reset-password`, 'the token is not in the address bar')
  await reset.reload()
  await reset.getByLabel('New password').fill('short')
  await button(reset, 'Save and sign in').click()
  await becomes(() => reset.evaluate(`document.querySelector('[name=new-password]').validity.tooShort`), true)
  await reset.getByLabel('New password').fill('eight steel ladles')
  await button(reset, 'Save and sign in').click()
  await sees(reset.getByText('Your password was changed. You are signed in.'))
  await sees(heading(reset, 'Your account'))
  await sees(reset.getByText(`${email} is confirmed.`))
  const stored = await reset.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
  assert.doesNotMatch(stored, /rst_/, 'the used token is not stored')

  const link = await frame.getByRole('link', { name: 'Choose a new password' }).getAttribute('href')
  await page.goto(link ?? '')
  await page.getByLabel('New password').fill('nine copper pots')
  await button(page, 'Save and sign in').click()
  await sees(heading(page, 'This link no longer works'))
  await page.getByRole('link', { name: 'Send a new link' }).click()
  await sees(heading(page, 'Forgot your password?'))
})

browserTest('a forgotten password of an unknown address gets the same page, and no mail', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/forgot-password')
  await page.getByLabel('E-mail address').fill('nobody@kavya.example')
  await button(page, 'Send link').click()
  await sees(heading(page, 'Check your mail'))
  await sees(page.getByText('If nobody@kavya.example has an account here'))
  await becomes(() => countMail(fixture, 'skipped'), 1)
  await page.goto('/inbox')
  await sees(page.getByText('No mail yet'))
  assert.deepEqual(pageErrors, [])
})

const countMail = async ({ service, store }: BrowserFixture, state: string) =>
  (
    await service.db.one<{ count: number }>`
      select count(*) as count from mail where store_id = ${store.id} and state = ${state}`
  ).count

browserTest('a new customer confirms the e-mail address with the link in a mail', async (fixture) => {
  const email = 'ravi@kavya.example'
  const shopper = await fixture.newShopper({ bypassCSP: true })
  const { page } = shopper
  await signUp(shopper, email)
  await sees(page.getByText(`${email} is not confirmed yet.`))
  await button(page, 'Send the mail again').click()
  await sees(page.getByText(`We sent a mail to ${email}. Open the link in it`))
  assert.deepEqual(await violationsOf(page, 'an address to confirm'), [])

  const { frame, tab } = await openMail(shopper, email, 'email.verify')
  const opening = tab.waitForEvent('popup')
  await frame.getByRole('link', { name: 'Confirm the address' }).click()
  const verified = await opening
  await sees(heading(verified, 'Your e-mail address is confirmed'))
  assert.equal(verified.url(), `${fixture.url}/verify-email`, 'the token is not in the address bar')
  assert.deepEqual(await violationsOf(verified, 'a confirmed address'), [])
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await sees(page.getByText(`${email} is confirmed.`))

  const link = await frame.getByRole('link', { name: 'Confirm the address' }).getAttribute('href')
  await page.goto(link ?? '')
  await sees(heading(page, 'Your e-mail address is already confirmed'))
  const { page: strange } = await fixture.newShopper()
  await strange.goto(link ?? '')
  await sees(heading(strange, 'This link no longer works'))
  await page.goto('/verify-email')
  await sees(heading(page, 'This link is incomplete'))
})

browserTest('the mail of an order appears in the inbox, and leads back to the shop', async (fixture) => {
  const email = 'kiran@kavya.example'
  const shopper = await fixture.newShopper({ bypassCSP: true })
  const { page } = shopper
  await page.goto('/sign-in')
  await signInByMail(shopper, email)
  await sees(page.getByText(`Signed in with ${email}`))
  await addToCart(page, 'masala-dabba')
  await addToCart(page, 'chai-at-home-ebook')
  await page.goto('/checkout')
  await fillAddress(page)
  await goToPayment(page)
  await button(page, 'Decide later').click()
  await sees(heading(page, 'Waiting for your payment'))
  await tellPaid(fixture, orderIdOf(page))

  const { frame, tab } = await openMail(shopper, email, 'order.paid')
  await sees(frame.getByText('Masala dabba, seven bowls'))
  assert.deepEqual(await violationsOf(tab, 'a mail in the inbox'), [])
  for (const width of [1280, 390]) {
    await tab.setViewportSize({ width, height: 800 })
    const heights = () =>
      frame
        .locator('html')
        .evaluate((html: { scrollHeight: number; clientHeight: number }) => [html.scrollHeight, html.clientHeight])
    await becomes(async () => new Set(await heights()).size, 1, `the whole mail is visible, ${width} wide`)
  }
  const shopLink = frame.getByRole('link', { name: 'Go to the shop' })
  assert.equal(new URL((await shopLink.getAttribute('href')) ?? '').origin, fixture.url)
  await tab.getByText('The mail as plain text').click()
  await sees(tab.locator('pre', { hasText: 'Masala dabba, seven bowls' }))
  await tab.getByRole('link', { name: 'All mail' }).click()
  await sees(tab.getByRole('listitem').filter({ hasText: 'order.placed' }))
})

browserTest('the shop offers only the ways to sign in that the service has', async (fixture) => {
  const { page } = await fixture.newShopper()
  const offer = async (...signIn: string[]) => {
    await page.unrouteAll()
    await page.route('**/v1/store', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), signIn } })
    })
    await page.goto('/sign-in')
    await sees(page.locator('form input'))
    return page.getByRole('radio').evaluateAll((radios) => radios.map((radio) => (radio as { value?: string }).value))
  }
  assert.deepEqual(await offer('phone', 'email', 'password'), ['phone', 'email', 'password'])
  assert.deepEqual(await offer('email', 'password'), ['email', 'password'])
  assert.deepEqual(await offer('password'), [])
  await sees(page.getByRole('textbox', { name: 'Password' }))
  assert.equal(await page.getByRole('link', { name: 'Forgot your password?' }).count(), 0)
  await page.goto('/forgot-password')
  await sees(page.getByText('This shop sends no mail.'))
})
