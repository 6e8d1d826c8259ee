import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { staffPassword } from '../admin-callers.ts'
import { placeByApi } from './admin-orders.ts'
import { type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, sees } from './steps.ts'

/** The service does what it is asked for, and its answer is lost on the way. */
const loseAnswer = async (route: Route) => {
  await route.fetch()
  await route.abort()
}

const endSessions = async ({ service }: BrowserFixture, { email }: StaffBrowser) => {
  const { db } = service
  await db.run`delete from staff_session where staff_id = (select id from staff where email = ${email})`
}

const signIn = async (page: Page, email: string) => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(staffPassword)
  await button(page, 'Sign in').click()
  await page.waitForURL(/\/admin\/store_/)
}

const signInAgain = async (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(staffPassword)
  await button(dialog, 'Sign in').click()
  await dialog.waitFor({ state: 'hidden' })
}

browserTest(
  'a refund and a note whose answers are lost are made once, whatever happens in between',
  async (fixture) => {
    const { service, store } = fixture
    const { id, number } = await placeByApi(fixture)
    const owner = await staffWith(fixture, 'owner')
    const { page, context, email } = owner
    const provider = service.app.services.payments.providers.get('sandbox')
    assert.ok(provider)
    const paidBack: number[] = []
    const { refund: payBack } = provider
    provider.refund = (account, payment, wanted, call) => {
      paidBack.push(wanted.amountMinor)
      return payBack(account, payment, wanted, call)
    }
    const openOrder = async () => {
      await owner.open(`orders/${id}`)
      await sees(heading(page, `Order ${number}`))
    }
    await openOrder()
    const dialog = page.getByRole('dialog', { name: `Refund order ${number}` })
    const amount = dialog.getByLabel('Amount in INR')
    const openRefund = async (typed: string) => {
      await button(page, /^Refund$/).click()
      await dialog.getByLabel('An amount').check()
      await amount.fill(typed)
    }

    // The session ends while the outcome is not known.
    await context.route('**/refunds', loseAnswer)
    await openRefund('100')
    await button(dialog, 'Refund ₹100.00').click()
    await sees(dialog.getByText('The service cannot be reached.'))
    await context.unroute('**/refunds', loseAnswer)
    await endSessions(fixture, owner)
    await button(dialog, 'Refund ₹100.00').click()
    await signInAgain(page)
    assert.equal(await amount.inputValue(), '100')
    await button(dialog, 'Refund ₹100.00').click()
    await sees(page.getByText('Refunded ₹100.00.'))
    assert.deepEqual(paidBack, [10_000])

    // The page is loaded again. What was chosen is gone, and the same choice is the same refund.
    await context.route('**/refunds', loseAnswer)
    await openRefund('50')
    await button(dialog, 'Refund ₹50.00').click()
    await sees(dialog.getByText('The service cannot be reached.'))
    await context.unroute('**/refunds', loseAnswer)
    await openOrder()
    await openRefund('50')
    await button(dialog, 'Refund ₹50.00').click()
    await sees(page.getByText('Refunded ₹50.00.'))
    assert.deepEqual(paidBack, [10_000, 5_000])

    // A refusal says nothing about the first try, and another amount is not sent without a warning.
    await context.route('**/refunds', loseAnswer)
    await openRefund('20')
    await button(dialog, 'Refund ₹20.00').click()
    await sees(dialog.getByText('The service cannot be reached.'))
    await context.unroute('**/refunds', loseAnswer)
    await service.db.run`update staff_role set role = 'viewer' where store_id = ${store.id}`
    await button(dialog, 'Refund ₹20.00').click()
    await sees(dialog.getByText('Your role does not allow this.'))
    await service.db.run`update staff_role set role = 'owner' where store_id = ${store.id}`
    await amount.fill('30')
    await button(dialog, 'Refund ₹30.00').click()
    await sees(dialog.getByText(/Your first attempt has succeeded after all/))
    assert.deepEqual(paidBack, [10_000, 5_000, 2_000])
    await button(dialog, 'Cancel').click()

    // What was typed stays in the tab after a reload, and so does the key of the first try.
    const note = page.getByLabel('Note for your team')
    await context.route('**/notes', loseAnswer)
    await note.fill('Called the customer.')
    await button(page, 'Add note').click()
    await sees(page.getByText('The service cannot be reached.'))
    await context.unroute('**/notes', loseAnswer)
    await openOrder()
    assert.equal(await note.inputValue(), 'Called the customer.')
    await button(page, 'Add note').click()
    await becomes(() => note.inputValue(), '')
    const { count } = await service.db.one<{ count: number }>`
    select count(*) as count from order_note where store_id = ${store.id} and order_id = ${id}`
    assert.equal(count, 1)

    // Another person at the same computer sees nothing of it.
    await note.fill('Between us.')
    await page.getByText('Meera Iyer').first().click()
    await button(page, 'Sign out').click()
    await sees(heading(page, 'Sign in'))
    assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /Between us/)
    await signIn(page, email)
    await openOrder()
    await note.fill('Between us.')
    await endSessions(fixture, owner)
    const other = await staffWith(fixture, 'manager')
    await owner.open('orders')
    await signIn(page, other.email)
    await sees(heading(page, 'Orders'))
    await openOrder()
    assert.equal(await note.inputValue(), '')
  },
)
