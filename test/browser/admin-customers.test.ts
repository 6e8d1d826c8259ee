import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { newBuyer } from '../buyer.ts'
import { checkPage, dialogWindows, type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { addToCart, becomes, button, heading, sees } from './steps.ts'

/** A call of the admin API by the person of a browser, on any of their devices. */
const callAs = async ({ context }: StaffBrowser, { store, service }: BrowserFixture, path: string, body: object) => {
  const method = path.endsWith('/cancel') ? 'post' : 'patch'
  const { origin } = new URL(service.url)
  const answer = await context.request[method](`/admin/v1/stores/${store.publicId}/${path}`, {
    headers: { origin: origin.replace('127.0.0.1', 'localhost') },
    data: body,
  })
  assert.equal(answer.status(), 200, await answer.text())
}

const idIn = (page: Page) => page.url().split('/').at(-1) ?? ''

browserTest('an owner finds a customer, notes, edits beside a colleague, exports and erases', async (fixture) => {
  const { service, keys } = fixture
  const buyer = await newBuyer(service.url, keys.browserKey, 'Asha Rao')
  const order = await buyer.order('cod', 'masala-dabba')
  const owner = await staffWith(fixture, 'owner')
  const { page, context } = owner
  await owner.open('customers')
  await page.getByRole('searchbox', { name: 'Search customers' }).fill('nobody')
  await sees(page.getByText('No customer matches'))
  await page.getByRole('link', { name: 'Show all customers' }).click()
  await button(page, 'With orders').click()
  const row = page.getByRole('row').filter({ hasText: 'asha@example.com' })
  await sees(row)
  assert.match(page.url(), /customers\?show=buyers$/)
  await row.getByRole('link', { name: 'Asha Rao' }).click()
  await sees(heading(page, 'Asha Rao'))
  await sees(page.getByRole('link', { name: order.number, exact: true }))

  // A failure keeps the note, also after a reload.
  await page.getByLabel('New note').fill('Call before delivery.')
  await context.setOffline(true)
  await button(page, 'Add note').click()
  await sees(page.getByText('The service cannot be reached.'))
  await context.setOffline(false)
  await page.reload()
  await becomes(() => page.getByLabel('New note').inputValue(), 'Call before delivery.')
  await button(page, 'Add note').click()
  await sees(page.getByRole('listitem').filter({ hasText: 'Call before delivery.' }))
  await sees(page.getByText('Note added.'))
  assert.equal(await page.getByLabel('New note').inputValue(), '')

  // A colleague saves another name in the meantime.
  await page.getByLabel('Name', { exact: true }).fill('Asha Rao-Iyer')
  await callAs(owner, fixture, `customers/${idIn(page)}`, { name: 'Asha R.' })
  await button(page, /^Save$/).click()
  const conflict = page.getByRole('dialog', { name: 'Saved by someone else in the meantime' })
  const versions = conflict.getByRole('row').filter({ hasText: 'Asha Rao-Iyer' })
  await sees(versions)
  assert.match(await versions.innerText(), /Name\s+Asha Rao-Iyer\s+Asha R\./)
  await button(conflict, 'Save my changes').click()
  await sees(heading(page, 'Asha Rao-Iyer'))

  await page
    .getByRole('listitem')
    .getByRole('button', { name: /^Delete/ })
    .click()
  await button(page.getByRole('dialog', { name: 'Delete this note?' }), 'Delete note').click()
  await sees(page.getByText('No notes yet.'))

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export everything' }).click(),
  ])
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'))
  assert.deepEqual([exported.profile.name, exported.orders.length], ['Asha Rao-Iyer', 1])

  await button(page, 'Erase').click()
  const erasing = page.getByRole('dialog', { name: 'Erase Asha Rao-Iyer?' })
  await sees(erasing.getByText('0 addresses and 0 notes are deleted'))
  await sees(erasing.getByText('In 1 order, everything that says who bought is erased.'))
  await button(erasing, 'Erase for good').click()
  await erasing.getByLabel('Type “erase” to confirm').fill('erase')
  await button(erasing, 'Erase for good').click()
  await sees(erasing.getByText(`The customer has orders that are not completed: ${order.number}.`))
  await callAs(owner, fixture, `orders/${order.id}/cancel`, {})
  await button(erasing, 'Erase for good').click()
  await sees(heading(page, 'An erased customer'))
  await sees(page.getByText(/^The personal data of this customer was erased/))
  assert.equal(await page.getByText('Asha').count(), 0)
  await owner.open('customers?show=erased')
  await sees(page.getByRole('link', { name: 'An erased customer' }))
})

browserTest('a manager makes a coupon that the shop accepts, and switches it off and on', async (fixture) => {
  const manager = await staffWith(fixture, 'manager')
  const { page, context } = manager
  await manager.open('coupons')
  await page.getByRole('link', { name: 'New coupon' }).click()
  await sees(heading(page, 'New coupon'))
  await page.getByLabel('Code').fill('diwali20')
  await page.getByLabel('Discount in percent').fill('20')
  await page.getByLabel('Some categories or products').check()
  await button(page, 'Make coupon').click()
  const refusal = await page.evaluate<string>(`document.querySelector('input:invalid')?.validationMessage`)
  assert.match(refusal, /^Choose a category or a product/, 'it does not become a coupon for everything')
  await page.getByLabel('Add a product').fill('masala dabba')
  await button(page, /^Add Masala dabba/i)
    .first()
    .click()
  await page.getByLabel('Smallest order').fill('100')
  await page.getByLabel('Last day').fill('2031-11-30')
  await page.getByLabel('Uses per customer').fill('1')
  const sentence = page.getByRole('region', { name: 'What it does' })
  await sees(
    sentence.getByText(/^DIWALI20 gives 20% off Masala dabba.* if the items cost ₹100.00 or more until 30 Nov/i),
  )
  await sees(sentence.getByText('Each customer can use it once. Only customers who know the code can use it.'))
  await context.setOffline(true)
  await button(page, 'Make coupon').click()
  await sees(page.getByText('The service cannot be reached.'))
  await context.setOffline(false)
  await button(page, 'Make coupon').click()
  await sees(heading(page, 'DIWALI20'))
  await sees(page.getByText('Running', { exact: true }))
  assert.equal(await page.getByLabel('Last day').inputValue(), '2031-11-30', 'the last day is the one that was typed')

  const shopper = await fixture.newShopper()
  await addToCart(shopper.page, 'masala-dabba')
  await shopper.page.goto('/checkout')
  await shopper.page.getByLabel('Coupon code').fill('diwali20')
  await button(shopper.page, 'Apply').click()
  await sees(shopper.page.getByText('Discount (DIWALI20)'))

  // A use in the meantime is no conflict.
  await page.getByLabel('Uses in all').fill('50')
  const buyer = await newBuyer(fixture.service.url, fixture.keys.browserKey)
  const product = await buyer.call('GET', '/v1/products/masala-dabba')
  const item = { productId: product.id, variantId: product.variants[0].id, quantity: 1 }
  await buyer.call('POST', '/v1/cart', { ...item, couponCode: 'DIWALI20' })
  const { number } = await buyer.order('cod')
  await button(page, /^Save$/).click()
  await sees(page.getByText('Saved.'))
  await page.reload()
  await sees(page.getByRole('link', { name: number, exact: true }))
  await sees(page.getByText('Customers have used it, so the discount itself stays.'))
  await sees(page.getByText('1 of 50'))

  // Someone else changes the same field.
  await page.getByLabel('Smallest order').fill('150')
  await callAs(manager, fixture, 'coupons/DIWALI20', { minSubtotal: 200 })
  await button(page, /^Save$/).click()
  const conflict = page.getByRole('dialog', { name: 'Saved by someone else in the meantime' })
  await sees(conflict.getByRole('row').filter({ hasText: 'Smallest order' }).filter({ hasText: '200' }))
  await button(conflict, 'Use the saved version').click()
  await becomes(() => page.getByLabel('Smallest order').inputValue(), '200')

  await button(page, 'Switch off').click()
  await sees(page.getByText('Switched off', { exact: true }))
  await button(page, 'Undo').click()
  await sees(page.getByText('Running', { exact: true }))
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await sees(heading(page, 'New coupon like DIWALI20'))
  await becomes(() => page.getByLabel('Discount in percent').inputValue(), '20')
  await page.getByLabel('Code').fill('DIWALI20')
  await button(page, 'Make coupon').click()
  await sees(page.getByText('The store already has a coupon DIWALI20.'))
  await page.getByLabel('Code').fill('DIWALI30')
  await page.getByLabel('First day').fill('2031-11-01')
  await button(page, 'Make coupon').click()
  await sees(page.getByText('Planned', { exact: true }))
  await manager.open('coupons?show=not-running')
  await sees(page.getByRole('row').filter({ hasText: 'DIWALI30' }))
  assert.equal(await page.getByRole('link', { name: 'DIWALI20' }).count(), 0)

  const viewer = await staffWith(fixture, 'viewer')
  await viewer.open('coupons/DIWALI20')
  await sees(viewer.page.getByText(/^DIWALI20 gives 20% off/))
  assert.equal(await button(viewer.page, 'Switch off').count(), 0)
  assert.equal(await viewer.page.getByLabel('Uses in all').count(), 0)
})

browserTest(
  'the screens of customers and coupons have no accessibility violations and fit a phone',
  async (fixture) => {
    const buyer = await newBuyer(fixture.service.url, fixture.keys.browserKey, 'Asha Rao')
    await buyer.order('cod', 'masala-dabba')
    for (const window of dialogWindows) {
      const { page, open } = await staffWith(fixture, 'owner', window)
      const check = (name: string) => checkPage(page, `${name} ${JSON.stringify(window)}`)
      await open('customers?sort=oldest')
      await sees(page.getByRole('link', { name: 'Asha Rao' }))
      await check('customers')
      await page.getByRole('link', { name: 'Asha Rao' }).click()
      await sees(page.getByRole('heading', { name: 'Contact' }))
      await page.getByLabel('Email').fill('asha.rao@example.com')
      await sees(button(page, /^Save$/))
      await check('customer')
      await button(page, 'Erase').click()
      await sees(page.getByRole('dialog'))
      await check('erase')
      await open('coupons')
      await sees(page.getByRole('link', { name: 'WELCOME10' }))
      await check('coupons')
      await page.getByRole('link', { name: 'WELCOME10' }).click()
      await sees(page.getByRole('heading', { name: 'Orders with this coupon' }))
      await check('coupon')
      await open('coupons/new')
      await page.getByLabel('Some categories or products').check()
      await page.getByLabel('Add a product').fill('masala')
      await sees(button(page, /^Add Masala/i))
      await check('new coupon')
    }
  },
)
