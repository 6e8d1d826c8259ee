import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserTest } from './fixture.ts'
import { addToCart, becomes, button, heading, reload, sees, signInByMail, violationsOf } from './steps.ts'

const email = 'asha@kavya.example'
const password = 'seven wooden spoons'

const ownEmail = (page: Page) => page.getByRole('textbox', { name: 'E-mail', exact: true })

browserTest(
  'a guest makes an account by e-mail, and signs in with it elsewhere; the cart comes along',
  async (fixture) => {
    const { page } = await fixture.newShopper()
    await addToCart(page, 'masala-dabba')
    await page.goto('/sign-in')
    await page.getByRole('radio', { name: 'Password' }).check({ force: true })
    await button(page, 'Create an account').click()
    await sees(heading(page, 'Create an account'))
    await page.getByLabel('Name').fill('Asha Rao')
    await page.getByLabel('E-mail address').fill(email)
    await page
      .getByRole('textbox', { name: 'Password', exact: true, description: 'At least 8 characters.' })
      .fill(password)
    await reload(page, page.getByLabel('E-mail address'))
    await becomes(() => page.getByLabel('E-mail address').inputValue(), email, 'a half-filled form outlives a reload')
    await becomes(() => page.getByRole('textbox', { name: 'Password' }).inputValue(), '', 'but no password does')
    const kept = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
    assert.ok(!kept.includes(password))
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await button(page, 'Create account').click()
    await sees(page.getByText(/to confirm the address\. You are signed in\. 1 product added to your cart\.$/))
    await sees(heading(page, 'Your account'))
    await sees(page.getByText(`Signed in with ${email}`))
    await sees(button(page, 'Cart, 1 item'))

    const other = await fixture.newShopper()
    await addToCart(other.page, 'neem-wood-comb')
    await other.page.goto('/checkout')
    await other.page.getByRole('radio', { name: 'Password' }).check({ force: true })
    await other.page.getByLabel('E-mail address').fill(email)
    await other.page.getByRole('textbox', { name: 'Password' }).fill('seven wooden forks')
    const signIn = button(other.page.locator('form'), /^Sign in$/)
    await signIn.click()
    await sees(other.page.getByRole('alert').getByText('The e-mail address or password is incorrect.'))
    await button(other.page, 'Create an account').click()
    await becomes(() => other.page.getByRole('alert').count(), 0)
    await other.page.getByLabel('Name').fill('Asha')
    await button(other.page, 'Create account').click()
    await sees(other.page.getByRole('alert').getByText('An account with this e-mail address already exists.'))
    await button(other.page, 'Sign in instead').click()
    await other.page.getByRole('textbox', { name: 'Password' }).fill(password)
    await signIn.click()
    await sees(button(other.page, /^Pay ₹/))
    await sees(button(other.page, 'Cart, 2 items'))
  },
)

browserTest(
  'a customer changes address and password with the old one, and signs out on all devices',
  async (fixture) => {
    const own = 'nila@kavya.example'
    const { page } = await fixture.newShopper({ bypassCSP: true })
    await page.goto('/sign-in')
    await page.getByRole('radio', { name: 'Password' }).check({ force: true })
    await button(page, 'Create an account').click()
    await page.getByLabel('Name').fill('Nila')
    await page.getByLabel('E-mail address').fill(own)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await button(page, 'Create account').click()
    await sees(page.getByText(`Signed in with ${own}`))

    await ownEmail(page).fill('')
    await button(page, 'Save').click()
    await sees(page.getByRole('alert').getByText('You can replace it, but not remove it.'))
    await ownEmail(page).fill('nila2@kavya.example')
    await button(page, 'Save').click()
    await sees(page.getByRole('alert').getByText(/password/i))
    await page.getByLabel(/^Password \(if you have one, to change/).fill(password)
    await button(page, 'Save').click()
    await sees(page.getByText('Your details were saved. We sent a mail to nila2@kavya.example'))
    await sees(page.getByText('Signed in with nila2@kavya.example'))

    await page.getByText('Set or change the password').click()
    await page.getByLabel('Current password (if you have one)').fill('not this one')
    await page.getByLabel('New password').fill('eight steel ladles')
    await button(page, 'Save password').click()
    await sees(page.getByRole('alert').getByText(/password is wrong/i))
    await page.getByLabel('Current password (if you have one)').fill(password)
    assert.deepEqual(await violationsOf(page, 'the forms of the account'), [])
    await button(page, 'Save password').click()
    await sees(page.getByText('Your password was saved. Other devices were signed out.'))

    await button(page, 'Sign out on all devices').click()
    await sees(page.getByText('You are signed out on all devices.'))
  },
)

browserTest('a code is for the recipient of the request, whatever the field shows since', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  const [first, second] = ['first@kavya.example', 'second@kavya.example']
  await page.goto('/sign-in')
  await page.getByRole('radio', { name: 'E-mail' }).check({ force: true })
  await page.getByLabel('E-mail address').fill(first)
  await button(page, 'Send code').click()
  await sees(page.getByText(`We sent a six-digit code to ${first}.`))
  await page.getByRole('radio', { name: 'Password' }).check({ force: true })
  await page.getByLabel('E-mail address').fill(second)
  await page.getByRole('radio', { name: 'E-mail' }).check({ force: true })
  await sees(page.getByText(`We sent a six-digit code to ${first}.`))
  await reload(page, page.getByText(`We sent a six-digit code to ${first}.`))
  const verified = page.waitForRequest('**/v1/auth/otp/verify')
  await page.getByLabel('Code').fill('000000')
  await button(page.locator('form'), /^Sign in$/).click()
  assert.equal((await verified).postDataJSON().email, first)
  await button(page, 'Use another address').click()
  await becomes(() => page.getByLabel('E-mail address').inputValue(), second)
  assert.deepEqual(
    pageErrors.filter((text) => !text.includes('/otp/verify')),
    [],
  )
})

browserTest('a customer without a password sets one, and the request for it goes away', async (fixture) => {
  const shopper = await fixture.newShopper()
  const { page } = shopper
  await page.goto('/sign-in')
  await signInByMail(shopper, 'tara@kavya.example')
  await sees(page.getByText('Signed in with tara@kavya.example'))
  await page.getByLabel('Name').fill('Tara')
  await ownEmail(page).fill('nobody@localhost')
  await button(page, 'Save').click()
  await sees(page.getByRole('alert').getByText('Please enter an e-mail address such as asha@example.com.'))
  await ownEmail(page).fill('tara2@kavya.example')
  await button(page, 'Save').click()
  await sees(page.getByRole('alert').getByText('Set a password first'))
  await page.getByText('Set or change the password').click()
  await page.getByLabel('New password').fill(password)
  await button(page, 'Save password').click()
  await sees(page.getByText('Your password was saved.'))
  await becomes(() => page.getByRole('alert').count(), 0)
})

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`every sign-in method is accessible, ${colorScheme}`, async (fixture) => {
    const { page, pageErrors } = await fixture.newShopper({
      ...{ viewport: { width: 390, height: 844 }, colorScheme, bypassCSP: true },
    })
    await page.goto('/sign-in')
    await sees(page.getByLabel('Phone number'))
    assert.deepEqual(await violationsOf(page, 'by phone'), [])
    // The ways are one group of radio buttons: the arrow keys choose.
    await page.getByRole('radio', { name: 'Phone' }).focus()
    await page.keyboard.press('ArrowRight')
    await sees(page.getByLabel('E-mail address'))
    assert.deepEqual(await violationsOf(page, 'by a code by e-mail'), [])
    await page.keyboard.press('ArrowRight')
    await sees(page.getByRole('textbox', { name: 'Password' }))
    assert.deepEqual(await violationsOf(page, 'by password'), [])
    await button(page, 'Create an account').click()
    await sees(page.getByLabel('Name'))
    assert.deepEqual(await violationsOf(page, 'a new account'), [])
    await page.getByLabel('Name').fill('Asha')
    await page.getByLabel('E-mail address').fill('asha2@kavya.example')
    await page.getByRole('textbox', { name: 'Password' }).fill('short')
    await button(page, 'Create account').click()
    await becomes(() => page.evaluate(`document.querySelector('[name=password]').validity.tooShort`), true)
    assert.deepEqual(pageErrors, [])
  })
}
