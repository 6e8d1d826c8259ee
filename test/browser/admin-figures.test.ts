import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { APIResponse, Page } from 'playwright-core'
import { startReceiver } from '../../src/features/outgoing-webhooks/fixture.ts'
import { listJobKinds } from '../../src/job-kinds.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { newBuyer } from '../buyer.ts'
import { checkPage, dialogWindows, type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, sees, tellPaid } from './steps.ts'

/** Four orders of the same: paid, two for cash, of which one is forty days old, and one that is not paid. */
const placeOrders = async (fixture: BrowserFixture) => {
  const { service, store, keys } = fixture
  const asha = await newBuyer(service.url, keys.browserKey)
  const paid = await asha.order('online', 'masala-dabba')
  await tellPaid(fixture, paid.id)
  await asha.order('cod', 'masala-dabba')
  const old = await asha.order('cod', 'masala-dabba')
  await service.db
    .run`update orders set created_at = (created_at at time zone 'UTC' - interval '40 days') at time zone 'UTC'
    where store_id = ${store.id} and id = ${old.id}`
  await asha.order('online', 'masala-dabba')
  return { paid, old }
}

/** A call of the admin API with the session of a browser. */
const callAs = async ({ context, page }: StaffBrowser, { store }: BrowserFixture, path: string, send?: SentBody) => {
  const { origin } = new URL(page.url())
  const url = `${origin}/admin/v1/stores/${store.publicId}/${path}`
  const answer: APIResponse = await context.request.fetch(url, {
    ...{ method: send?.method ?? 'GET', headers: { origin } },
    ...(send?.body === undefined ? {} : { data: send.body }),
  })
  assert.ok(answer.ok(), await answer.text())
  return answer.json()
}
type SentBody = { method: string; body?: unknown }

const rupees = (amount: number) => new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' }).format(amount)

const taskOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'What needs doing' }).getByRole('link', { name })

const openTable = (page: Page) => page.getByText('Figures as a table').click()

browserTest('today and the reports have the figures of the orders, in every role', async (fixture) => {
  const { service, store } = fixture
  const owner = await staffWith(fixture, 'owner')
  const { page, open } = owner
  await open()
  await page.getByRole('link', { name: 'Set up your store' }).click()
  await page.waitForURL(/\/setup$/)
  await open()
  await sees(page.getByText('No orders yet'))
  await becomes(() => taskOf(page, 'To ship').innerText(), '0\nTo ship')

  const { paid, old } = await placeOrders(fixture)
  // They appear by themselves.
  await sees(page.getByRole('link', { name: new RegExp(`^${paid.number}`) }))
  await becomes(async () => (await taskOf(page, 'To ship').innerText()) === '0\nTo ship', false, 'the counts follow')
  await page.reload()
  const { total: toShip } = await callAs(owner, fixture, 'orders?toShip=true')
  assert.ok(toShip > 0)
  await becomes(() => taskOf(page, 'To ship').innerText(), `${toShip}\nTo ship`)
  const { total: unpaid } = await callAs(owner, fixture, 'orders?status=pending')
  await becomes(() => taskOf(page, 'Unpaid').innerText(), `${unpaid}\nUnpaid`)
  const { total: low } = await callAs(owner, fixture, 'stock?stock=low')
  await becomes(() => taskOf(page, 'Low in stock').innerText(), `${low}\nLow in stock`)

  const { total: price } = await callAs(owner, fixture, `orders/${paid.id}`)
  const sales = page.getByRole('region', { name: 'Sales of the last 30 days' })
  await sees(sales.getByText(rupees(2 * price)))
  await sees(sales.getByText('100% more'))
  await openTable(page)
  const day = new Intl.DateTimeFormat('en-IN', { dateStyle: 'long', timeZone: store.timezone })
  const today = day.format(new Date(service.clock.now()))
  await becomes(
    () => sales.getByRole('row', { name: today }).innerText(),
    [today, rupees(2 * price), rupees(0)].join('\t'),
  )
  const chart = sales.getByRole('slider', { name: /^Net sales/ })
  await chart.focus()
  await page.keyboard.press('ArrowRight')
  await becomes(
    () => chart.getAttribute('aria-valuetext'),
    `${today}: ${rupees(2 * price)} (30 days before: ${rupees(0)})`,
  )
  await taskOf(page, 'To ship').click()
  await sees(page.getByText(paid.number))
  assert.match(page.url(), /orders\?show=to-ship$/)

  await open('reports')
  const figures = page.getByRole('region', { name: 'Sales' })
  await sees(figures.getByText(rupees(2 * price)))
  const total = page.getByRole('row', { name: 'Total' })
  const { data } = await callAs(owner, fixture, 'reports/sales')
  const net = data.reduce((sum: number, row: { net: number }) => sum + row.net, 0)
  assert.equal(net, 2 * price)
  await sees(total.getByText(rupees(net)))
  await button(page, 'Products').click()
  await sees(page.getByRole('row', { name: /masala dabba/i }).getByText(rupees(2 * price)))
  const [{ createdAt }] = (await callAs(owner, fixture, `orders?q=${old.number}`)).data
  const that = new Intl.DateTimeFormat('en-CA', { timeZone: store.timezone }).format(new Date(createdAt))
  // A period is in the address, also of the file.
  await page.getByLabel('To', { exact: true }).fill(that)
  await becomes(async () => new URL(page.url()).search, `?report=products&from=${that}&to=${that}`)
  await sees(page.getByRole('row', { name: /masala dabba/i }).getByText(rupees(price)))
  await page.reload()
  await sees(page.getByRole('row', { name: /masala dabba/i }).getByText(rupees(price)))
  const file = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
  assert.ok(file?.includes(`from=${that}&to=${that}`), file ?? '')
  for (const name of ['Categories', 'Outlets', 'Tax', 'Carts']) {
    await button(page, name).click()
    await sees(page.getByRole('table', { name }))
  }
  await button(page, 'Coupons').click()
  await sees(page.getByText('No order of this period used a coupon.'))

  // A failure is told, and another try shows the report.
  await button(page, 'Tax').click()
  await owner.context.route('**/reports/tax*', (route) => route.abort())
  await page.getByLabel('Period').selectOption('Last 7 days')
  await sees(page.getByText('The service cannot be reached.'))
  await owner.context.unroute('**/reports/tax*')
  await button(page, 'Try again').click()
  await sees(page.getByRole('table', { name: 'Tax' }))
  assert.match(page.url(), /\?report=tax&period=7$/)

  const viewer = await staffWith(fixture, 'viewer')
  await viewer.open('reports')
  await sees(viewer.page.getByRole('region', { name: 'Sales' }).getByText(rupees(net)))
  await viewer.open('activity')
  await sees(viewer.page.getByText('From payments and carriers'))
  assert.equal(await button(viewer.page, 'Changes by staff').count(), 0)
  const fulfilment = await staffWith(fixture, 'fulfilment')
  await fulfilment.open()
  await becomes(() => taskOf(fulfilment.page, 'To ship').innerText(), `${toShip}\nTo ship`)
  const tasks = fulfilment.page.getByRole('region', { name: 'What needs doing' }).getByRole('listitem')
  assert.equal(await tasks.count(), 2, 'only what fulfilment does')
  assert.equal(await fulfilment.page.getByRole('heading', { name: /^Sales/ }).count(), 0)
  assert.equal(await fulfilment.page.getByRole('link', { name: 'Reports' }).count(), 0)

  for (const window of dialogWindows) {
    const { page, open } = await staffWith(fixture, 'owner', window)
    await open()
    await sees(page.getByRole('slider'))
    await openTable(page)
    await checkPage(page, `today ${JSON.stringify(window)}`)
    for (const report of ['', '?report=products', '?report=tax', '?report=stock']) {
      await open(`reports${report}`)
      await sees(page.locator('.chart, .bars, .empty'))
      await checkPage(page, `reports${report} ${JSON.stringify(window)}`)
    }
  }
})

/** Sends the webhooks of this store only: the database has those of other tests too. */
const sendWebhooksOf = ({ service, store }: BrowserFixture, t: TestContext) => {
  const kinds = listJobKinds(service.app.services, service.db)
    .filter(({ name }) => name === 'webhook')
    .map((kind) => ({
      ...kind,
      findDue: async () => (await kind.findDue()).filter(({ storeId }) => storeId === store.id),
    }))
  const runner = createJobRunner({ kinds, onFailure: (name, err) => service.logger.warn({ err }, name), everyMs: 200 })
  runner.start()
  t.after(() => runner.stop())
}

browserTest('activity tells what was changed, what was received and what was sent', async (fixture, t) => {
  const receiver = await startReceiver(t)
  receiver.does.respond = (response) => response.writeHead(500).end('The disk is full')
  sendWebhooksOf(fixture, t)
  const owner = await staffWith(fixture, 'owner')
  const { page, open } = owner
  await open('activity')
  await sees(heading(page, 'Activity'))
  const product = (await callAs(owner, fixture, 'products?q=masala')).data[0]
  await callAs(owner, fixture, `products/${product.id}`, { method: 'PATCH', body: { price: product.price + 101 } })
  const entry = page.getByRole('listitem').filter({ hasText: 'Meera Iyer changed a product' })
  await sees(entry)
  await sees(entry.getByText(`Price: from ${rupees(product.price)} → to ${rupees(product.price + 101)}`))
  await page.getByLabel('About').selectOption('Products')
  await page.getByLabel('What was done').selectOption('Archived a product')
  await sees(page.getByText('Nothing matches'))
  await page.getByLabel('What was done').selectOption('Changed a product')
  await sees(entry)
  assert.match(page.url(), /\?about=product&action=product\.updated$/)
  assert.equal(await page.getByRole('listitem').filter({ hasText: 'signed in' }).count(), 0)
  await page.getByLabel('Person').selectOption({ index: 1 })
  await page.waitForURL(/person=stf_/)
  await entry.getByRole('link', { name: 'Open the product' }).click()
  await page.waitForURL(new RegExp(`/products/${product.id}$`))

  // An event that names no order, which can be applied again.
  const { paid } = await placeOrders(fixture)
  await fixture.service.db.run`update payment_event set outcome = 'mismatch', detail = 'The amount differs.'
    where store_id = ${fixture.store.id} and order_id = ${paid.id}`
  await open('activity?show=received')
  const event = page.getByRole('listitem').filter({ hasText: 'Does not fit the order' })
  await sees(event.getByText('The amount differs.'))
  assert.match(
    String(await event.getByRole('link', { name: 'Open the order' }).getAttribute('href')),
    new RegExp(paid.id),
  )
  await button(event, 'Apply again').click()
  await sees(page.getByRole('listitem').filter({ hasText: 'Nothing to change' }))
  await open(`orders/${paid.id}`)
  await page.getByRole('link', { name: 'What was reported about it' }).click()
  await sees(page.getByText('Only what is about one order.'))
  await becomes(() => page.locator('.entry').count(), 1)
  await button(page, 'Show everything').click()
  await becomes(async () => new URL(page.url()).search, '?show=received')

  const body = { url: receiver.url, types: ['order.*'] }
  const { id } = await callAs(owner, fixture, 'webhooks', { method: 'POST', body })
  await callAs(owner, fixture, `webhooks/${id}/test`, { method: 'POST' })
  await open('activity?show=webhooks&state=failed')
  assert.equal(await button(page, 'Send a test event').count(), 0, 'only to one that is chosen')
  await page.getByLabel('Sent to').selectOption(receiver.url)
  await button(page, 'Send a test event').click()
  await sees(page.getByText('A test event is on its way.'))
  const failed = page.getByRole('listitem').filter({ hasText: 'Failed' })
  await becomes(() => failed.count(), 2)
  await sees(failed.getByText(/1 attempt, the last on .*500/))
  await failed.first().getByText('The answer').click()
  await sees(page.getByText('The disk is full'))

  // A failure of the connection keeps what was selected.
  receiver.does.respond = (response) => response.end('thanks')
  await failed.first().getByRole('checkbox').check()
  await owner.context.route('**/redeliver', (route) => route.abort())
  await button(page, 'Send 1 delivery again').click()
  await sees(page.getByText('The service cannot be reached.'))
  assert.ok(await failed.first().getByRole('checkbox').isChecked())
  await owner.context.unroute('**/redeliver')
  await button(page, 'Send 1 delivery again').click()
  await becomes(() => failed.count(), 1)
  await button(failed, 'Send again').click()
  await sees(page.getByText('Nothing matches'))
  await page.getByLabel('Result').selectOption('Delivered')
  await becomes(() => page.getByRole('listitem').filter({ hasText: 'webhook.test' }).count(), 2)
  assert.equal(receiver.received.length, 4)

  const viewer = await staffWith(fixture, 'viewer')
  await viewer.open('activity?show=webhooks')
  await sees(viewer.page.getByRole('listitem').filter({ hasText: 'Delivered' }))
  assert.equal(await button(viewer.page, /^Send/).count(), 0)
  for (const window of dialogWindows) {
    const { page, open } = await staffWith(fixture, 'owner', window)
    for (const show of ['changes', 'received', 'webhooks']) {
      await open(`activity?show=${show}`)
      await sees(page.locator('.entry'))
      await checkPage(page, `activity ${show} ${JSON.stringify(window)}`)
    }
  }
})
