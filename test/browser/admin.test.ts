import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { randomText } from '../../src/core/ids.ts'
import { commandLine } from '../../src/features/audit/record.ts'
import { makeDemoSignIn } from '../../src/features/demo-store/demo-owner.ts'
import { addMember } from '../../src/features/staff/members.ts'
import { staffPassword } from '../admin-callers.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, orderUpToPayment, sees, signIn as signInAtShop, violationsOf } from './steps.ts'

const newInvitation = async ({ service, store }: BrowserFixture) => {
  const email = `${randomText(10)}@kavya.example`
  const { link } = await addMember(service.app.services, { store }, commandLine, {
    ...{ email, role: 'owner', name: 'Meera Iyer' },
  })
  assert.ok(link)
  return { link, email }
}

const signIn = async (page: Page, email: string, password = staffPassword) => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await button(page, 'Sign in').click()
}

/** An order that is not paid yet. */
const orderAs = async (page: Page) => {
  await page.goto('/sign-in')
  await signInAtShop(page, '+91 98765 43210')
  await sees(heading(page, /account/i))
  await orderUpToPayment(page)
}

/** Reading the session of a person who is not signed in is answered with 401, which Chromium reports. */
const withoutRefusals = (errors: readonly string[]) => errors.filter((text) => !text.includes('status of 401'))

browserTest('an invitation leads to the orders, and a link to a list asks to sign in first', async (fixture) => {
  const { link, email } = await newInvitation(fixture)
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto(link)
  await page.getByLabel('New password').fill(staffPassword)
  await button(page, 'Save and sign in').click()
  await sees(heading(page, 'Orders'))
  await sees(page.getByText('No orders yet'))
  assert.equal(await page.title(), 'Orders · Kavya & Co.')
  await button(page, 'To ship').click()
  await sees(page.getByText('No order matches'))
  const bookmark = page.url()
  assert.match(bookmark, /\/orders\?show=to-ship$/)
  await page.getByText('Meera Iyer').click()
  await button(page, 'Sign out').click()
  await sees(heading(page, 'Sign in'))
  await page.goto(bookmark)
  await sees(heading(page, 'Sign in'))
  await signIn(page, email, 'not the password')
  await sees(page.getByText('The email or the password is wrong.'))
  assert.equal(await page.getByLabel('Email').inputValue(), email, 'what was typed stays')
  await signIn(page, email)
  await sees(page.getByText('No order matches'))
  assert.equal(page.url(), bookmark)
  await page.goto(link)
  await page.getByLabel('New password').fill('another password')
  await button(page, 'Save and sign in').click()
  await sees(heading(page, 'This link is no longer valid'))
  assert.deepEqual(
    withoutRefusals(pageErrors).filter((text) => !text.includes('status of 410')),
    [],
  )
})

browserTest('an order is found by filter and search, and a session that ends takes nothing away', async (fixture) => {
  const shopper = await fixture.newShopper()
  await orderAs(shopper.page)
  const { context, page } = await fixture.newShopper()
  const { link, email } = await newInvitation(fixture)
  await page.goto(link)
  await page.getByLabel('New password').fill(staffPassword)
  await button(page, 'Save and sign in').click()
  const rows = page.getByRole('row').filter({ hasText: 'Waiting for payment' })
  await sees(rows)
  await button(page, 'Refunded').click()
  await sees(page.getByText('No order matches'))
  await button(page, 'Unpaid').click()
  await sees(rows)
  await page.getByRole('searchbox', { name: 'Search orders' }).fill('nobody at all')
  await sees(page.getByText('No order matches'))
  await page.getByRole('searchbox', { name: 'Search orders' }).fill('asha')
  await sees(rows)
  await becomes(async () => new URL(page.url()).search, '?show=unpaid&q=asha')
  // The session ends elsewhere, and the next call is refused.
  await context.clearCookies()
  await page.getByRole('searchbox', { name: 'Search orders' }).fill('ash')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await sees(dialog)
  assert.equal(await dialog.getByLabel('Email').inputValue(), email)
  await dialog.getByLabel('Password').fill(staffPassword)
  await button(dialog, 'Sign in').click()
  await dialog.waitFor({ state: 'hidden' })
  await sees(rows)
  assert.equal(await page.getByRole('searchbox', { name: 'Search orders' }).inputValue(), 'ash')
})

browserTest('the address that a start prints signs in once, and leaves no token behind', async (fixture) => {
  const { service, store } = fixture
  const link = await makeDemoSignIn(service.app.services, store)
  const { page } = await fixture.newShopper()
  await page.goto(link)
  // The owner of demo stores has those of other tests too.
  await sees(heading(page, /^(Orders|Your stores)$/))
  assert.doesNotMatch(page.url(), /token/)
  await page.goto(new URL(`/admin/${store.publicId}`, link).href)
  await sees(heading(page, 'Orders'))
  const other = await fixture.newShopper()
  await other.page.goto(link)
  await sees(other.page.getByText('This link was used already, or it is too old.'))
  assert.doesNotMatch(other.page.url(), /token/)
  await sees(heading(other.page, 'Sign in'))
})

browserTest('the page has no accessibility violations and fits a phone', async (fixture) => {
  const shopper = await fixture.newShopper()
  await orderAs(shopper.page)
  const { link, email } = await newInvitation(fixture)
  const origin = new URL(link).origin
  for (const [width, colorScheme] of [
    [360, 'light'],
    [1280, 'dark'],
  ] as const) {
    const { page } = await fixture.newShopper({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true })
    const check = async (name: string) => {
      await page.waitForLoadState('networkidle')
      assert.deepEqual(await violationsOf(page, `${name} ${width} ${colorScheme}`), [])
      assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, name)
    }
    for (const path of ['/admin/sign-in', '/admin/forgot-password', '/admin/set-password', link.slice(origin.length)]) {
      await page.goto(`${origin}${path}`)
      await sees(heading(page, /./))
      await check(path)
    }
    if (width === 360) {
      await page.getByLabel('New password').fill(staffPassword)
      await button(page, 'Save and sign in').click()
    } else {
      await page.goto(`${origin}/admin/sign-in`)
      await signIn(page, email)
    }
    await sees(page.getByRole('row').filter({ hasText: 'Waiting for payment' }))
    await check('orders')
    if (width === 360) {
      await button(page, 'Menu').click()
      await sees(page.getByRole('dialog', { name: 'Menu' }))
      await check('the menu')
    }
  }
})
