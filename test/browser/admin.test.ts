import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { makeDemoSignIn } from '../../src/features/demo-store/demo-owner.ts'
import { staffPassword } from '../admin-callers.ts'
import { checkPage, newInvitation, staffWith, windows, withoutRefusals } from './admin-steps.ts'
import { browserTest } from './fixture.ts'
import { becomes, button, heading, orderUpToPayment, sees, signIn as signInAtShop } from './steps.ts'

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

browserTest('an invitation leads to the orders, and a link to a list asks to sign in first', async (fixture) => {
  const { link, email } = await newInvitation(fixture)
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill(staffPassword)
  await button(page, 'Save and sign in').click()
  await sees(heading(page, 'Today'))
  await page.getByRole('link', { name: 'Orders' }).click()
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

browserTest('Today asks for each of its parts once, before its scripts are there', async (fixture) => {
  const { page, open, email } = await staffWith(fixture, 'owner')
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname.replace(/^.*\//, '')))
  const count = (part: string) => asked.filter((name) => name === part).length
  // The second visit knows the store from the first.
  for (const visit of [open, () => page.goto('/admin')]) {
    asked.length = 0
    await page.route('**/main-*.js', async (main) => {
      await becomes(async () => count('today'), 1)
      await main.continue()
    })
    await visit()
    await sees(page.locator('.tasks[aria-busy=false]'))
    await sees(page.getByText('No orders yet'))
    assert.match(page.url(), /\/admin\/store_\w+$/)
    assert.deepEqual(['session', 'today', 'orders'].map(count), [1, 1, 1])
  }
  // Without a session the answers are refusals, which must not be shown to the person who signs in.
  await page.context().clearCookies()
  await open()
  await sees(heading(page, 'Sign in'))
  await signIn(page, email)
  await sees(page.locator('.tasks[aria-busy=false]'))
  assert.equal(await page.getByRole('dialog').count(), 0)
})

browserTest('an order is found by filter and search, and a session that ends takes nothing away', async (fixture) => {
  const shopper = await fixture.newShopper()
  await orderAs(shopper.page)
  const { context, page, email, open } = await staffWith(fixture, 'owner')
  await open('orders')
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
  await sees(heading(page, /^(Today|Your stores)$/))
  assert.doesNotMatch(page.url(), /token/)
  await page.goto(new URL(`/admin/${store.publicId}`, link).href)
  await sees(heading(page, 'Today'))
  const other = await fixture.newShopper()
  await other.page.goto(link)
  await sees(other.page.getByText('This link was used already, or it is too old.'))
  assert.doesNotMatch(other.page.url(), /token/)
  await sees(heading(other.page, 'Sign in'))
})

browserTest('a slash finds orders, products and customers from every screen', async (fixture) => {
  const shopper = await fixture.newShopper()
  await orderAs(shopper.page)
  const { page, open } = await staffWith(fixture, 'viewer')
  await open('reports')
  await sees(heading(page, 'Reports'))
  await page.keyboard.press('/')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByRole('searchbox')
  await sees(field)
  await page.keyboard.type('+919876543210')
  await sees(dialog.getByRole('heading', { name: 'Orders' }))
  await sees(dialog.getByRole('heading', { name: 'Customers' }))
  await field.fill('masala dabba')
  const product = dialog.getByRole('link', { name: /Masala dabba/i })
  await sees(product)
  await field.fill('no such thing')
  await sees(dialog.getByText('Nothing matches “no such thing”.'))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  await field.fill('masala dabba')
  await sees(product)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await sees(heading(page, 'Product'))
  await dialog.waitFor({ state: 'hidden' })
  // Enter opens the first hit.
  await page.keyboard.press('/')
  await sees(field)
  await page.keyboard.type('block print')
  await sees(dialog.getByRole('link', { name: /Block print/ }).first())
  await page.keyboard.press('Enter')
  await sees(heading(page, /Block print/))
})

browserTest('the pages for signing in have no accessibility violations and fit a phone', async (fixture) => {
  const { link } = await newInvitation(fixture)
  const { origin, pathname, search } = new URL(link)
  const paths = ['/admin/sign-in', '/admin/forgot-password', '/admin/set-password', pathname + search]
  for (const window of windows) {
    const { page } = await fixture.newShopper({ ...window, baseURL: origin })
    for (const path of paths) {
      await page.goto(path)
      await sees(heading(page, /./))
      await checkPage(page, `${path} ${JSON.stringify(window)}`)
    }
  }
})

browserTest('the menu of a phone and the search have no accessibility violations', async (fixture) => {
  for (const window of windows.slice(0, 1)) {
    const { page, open } = await staffWith(fixture, 'owner', window)
    await open('orders')
    await sees(page.getByText('No orders yet'))
    await checkPage(page, 'orders')
    await button(page, 'Menu').click()
    await sees(page.getByRole('dialog', { name: 'Menu' }))
    await checkPage(page, 'the menu')
    await page.keyboard.press('Escape')
    await button(page, 'Search').click()
    await page.getByRole('dialog', { name: 'Search' }).getByRole('searchbox').fill('masala')
    await sees(page.getByRole('heading', { name: 'Products' }))
    await checkPage(page, 'the search')
  }
})
