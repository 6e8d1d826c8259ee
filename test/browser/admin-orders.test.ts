import assert from 'node:assert/strict'
import type { Locator, Page, Route } from 'playwright-core'
import { newCarrier, placeByApi } from './admin-orders.ts'
import { checkPage, dialogWindows, type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { becomes, button, heading, sees } from './steps.ts'

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const closed = (locator: Locator) => locator.waitFor({ state: 'hidden' })
const units = (within: Locator, name: RegExp) => within.getByRole('spinbutton', { name })

/** Calls of a staff member beside the page. */
const apiOf = ({ store, service }: BrowserFixture, { context }: StaffBrowser) => {
  const call = async (method: string, path: string, data?: unknown) => {
    const answer = await context.request.fetch(`/admin/v1/stores/${store.publicId}${path}`, {
      ...{ method, headers: { origin: service.config.publicUrl ?? '' } },
      ...(data === undefined ? {} : { data }),
    })
    assert.ok(answer.ok(), await answer.text())
    return answer.json()
  }
  return { get: (path: string) => call('GET', path), send: call }
}

const openOrder = async (staff: StaffBrowser, { id, number }: { id: string; number: string }) => {
  await staff.open(`orders/${id}`)
  await sees(heading(staff.page, `Order ${number}`))
}

browserTest('an owner ships an order in part and the rest, and refunds another one once', async (fixture) => {
  const shipped = await placeByApi(fixture, { goods: { 'masala-dabba': 3, 'cafe-au-lait-mug': 1 } })
  const owner = await staffWith(fixture, 'owner')
  const { page, context, open } = owner
  const api = apiOf(fixture, owner)
  await open('orders?show=to-ship')
  await sees(page.getByRole('row').filter({ hasText: 'Asha Rao' }))

  // A cash order is to ship until it is shipped by hand, although no carrier reports anything.
  const cash = await placeByApi(fixture, { method: 'cod', name: 'Noor Khan' })
  const listed = page.getByRole('row').filter({ hasText: 'Noor Khan' })
  await listed.getByRole('link', { name: cash.number }).click()
  await button(page, /^Ship$/).click()
  const byHand = dialog(page, `Ship order ${cash.number}`)
  await byHand.getByLabel('Carrier').fill('Our own van')
  await button(byHand, 'Ship 2 units').click()
  await closed(byHand)
  await page.goBack()
  await sees(page.getByRole('row').filter({ hasText: 'Asha Rao' }))
  await becomes(() => listed.count(), 0)

  // A shopper places an order while the list is open.
  const refunded = await placeByApi(fixture, { goods: { 'masala-dabba': 2 }, name: 'Ravi Kumar' })
  const arrived = page.getByRole('row').filter({ hasText: 'Ravi Kumar' })
  await sees(arrived.getByText('New'))
  await sees(page.getByText('A new order has arrived.'))
  await page.getByText('More filters').click()
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await sees(page.getByText('No order matches'))
  assert.match(page.url(), /from=2020-01-01&to=2020-01-31/)
  await button(page, 'Clear').click()
  await page.getByRole('link', { name: shipped.number, exact: true }).click()
  await sees(heading(page, `Order ${shipped.number}`))

  await button(page, /^Ship$/).click()
  const shipping = dialog(page, `Ship order ${shipped.number}`)
  await units(shipping, /Masala dabba/).fill('1')
  await units(shipping, /mug/).fill('0')
  await shipping.getByLabel('Carrier').fill('Blue Dart')
  await shipping.getByLabel('Tracking number').fill('BD1')
  await button(shipping, 'Ship 1 unit').click()
  await closed(shipping)
  await sees(page.getByText('2 to ship'))
  await sees(page.getByText('Shipped with Blue Dart, number BD1.'))
  await button(page, /^Ship$/).click()
  assert.equal(await shipping.getByLabel('Carrier').inputValue(), 'Blue Dart', 'the last carrier')
  await shipping.getByLabel('Tracking number').fill('BD1')
  await button(shipping, 'Ship 3 units').click()
  await sees(shipping.getByRole('alert'))
  await shipping.getByLabel('Tracking number').fill('BD2')
  await button(shipping, 'Ship 3 units').click()
  await closed(shipping)
  await becomes(async () => page.getByText(/to ship/).count(), 0)
  const parcels = (await api.get(`/orders/${shipped.id}`)).shipments.map(
    ({ items }: { items: { quantity: number }[] }) => items.reduce((sum, { quantity }) => sum + quantity, 0),
  )
  assert.deepEqual(parcels, [1, 3])

  await openOrder(owner, refunded)
  const price = refunded.total / 2
  let lost = 0
  const loseAnswer = async (route: Route) => {
    lost++
    await route.fetch()
    await route.abort()
  }
  await context.route('**/refunds', loseAnswer)
  await button(page, /^Refund$/).click()
  const refund = dialog(page, `Refund order ${refunded.number}`)
  await units(refund, /Masala dabba/).fill('1')
  await refund.getByLabel('Reason').fill('One was broken')
  const confirm = button(refund, /^Refund ₹1,249/)
  await confirm.click()
  await sees(refund.getByText('The service cannot be reached.'))
  assert.ok(lost > 0)
  assert.equal(await refund.getByLabel('Reason').inputValue(), 'One was broken', 'what was typed stays')
  await context.unroute('**/refunds', loseAnswer)
  await confirm.click()
  await closed(refund)
  await sees(page.getByText(/^Refunded ₹1,249/))
  const after = await api.get(`/orders/${refunded.id}`)
  assert.deepEqual([after.refunds.length, after.refundedTotal, after.items[0].refunded], [1, price, 1])

  const timeline = page.getByRole('listitem')
  await page.getByLabel('Note for your team').fill('Called about the broken one.')
  await button(page, 'Add note').click()
  await sees(timeline.filter({ hasText: 'Called about the broken one.' }).filter({ hasText: 'Meera Iyer' }))
  assert.equal(await page.getByLabel('Note for your team').inputValue(), '')
  await sees(timeline.filter({ hasText: 'Requested a refund.' }))
  await sees(timeline.filter({ hasText: 'Order placed' }))
  await button(page, 'Issue invoice').click()
  const invoice = dialog(page, /Invoice for order/)
  const { y = 0, height = 0 } = (await invoice.boundingBox()) ?? {}
  const middle = (page.viewportSize()?.height ?? 0) / 2
  assert.ok(Math.abs(y + height / 2 - middle) < 2, 'the dialog is in the middle, also inside of a panel')
  await button(invoice, 'Issue invoice').click()
  const [printed] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: /^Invoice / }).click(),
  ])
  await sees(heading(printed, /invoice/i))
})

const post = newCarrier()

browserTest(
  'each role sees what it may do: fulfilment ships many orders, support refunds up to its limit',
  async (fixture) => {
    const { service, store } = fixture
    await service.db.run`update store set support_refund_limit_minor = 100000 where id = ${store.id}`
    const orders = []
    for (const name of ['Asha', 'Ravi', 'Leela']) orders.push(await placeByApi(fixture, { name }))
    const [first, second, third] = orders
    assert.ok(first && second && third)
    const unpaid = await placeByApi(fixture, { isPaid: false, name: 'Later' })

    const packer = await staffWith(fixture, 'fulfilment')
    const { page } = packer
    await openOrder(packer, first)
    await sees(button(page, /^Ship$/))
    for (const name of [/^Refund$/, 'Add note', 'Start a return', /Send again/]) {
      assert.equal(await button(page, name).count(), 0, String(name))
    }
    await packer.open('orders')
    await page.getByLabel('Select all').check()
    await sees(page.getByText('4 orders selected'))
    const slips = await page.getByRole('link', { name: 'Print packing slips' }).getAttribute('href')
    const printed = await packer.context.request.get(slips ?? '')
    assert.equal((await printed.text()).match(/<section>/g)?.length, 4)
    await button(page, /^Ship$/).click()
    const bulk = dialog(page, 'Ship 3 orders')
    await sees(bulk.getByText('1 selected order stays as it is'))
    await sees(bulk.getByText('3 orders, 6 units together'))
    await bulk.getByLabel('Carrier').fill('Blue Dart')
    for (const { number } of orders) await bulk.getByLabel(`Tracking number of order ${number}`).fill(`T${number}`)
    // One of them is shipped elsewhere in the meantime, with the same number.
    const owner = await staffWith(fixture, 'owner')
    const api = apiOf(fixture, owner)
    await api.send('POST', `/orders/${second.id}/shipments`, {
      partner: 'Blue Dart',
      trackingNumber: `T${second.number}`,
    })
    await button(bulk, 'Ship 3 orders').click()
    await sees(bulk.getByText('3 of 3 done, 1 not possible'))
    await sees(bulk.getByRole('listitem').filter({ hasText: `Order ${second.number}` }))
    await bulk.getByText('Close', { exact: true }).click()
    await becomes(async () => page.getByText('selected').count(), 0)
    for (const { id } of orders) assert.equal((await api.get(`/orders/${id}`)).shipments.length, 1)
    await page.getByLabel(`Select order ${first.number}`).check()
    await button(page, 'Mark as delivered').click()
    await button(dialog(page, /as delivered/), 'Mark 1 order as delivered').click()
    await sees(page.getByText('1 of 1 done'))
    assert.equal((await api.get(`/orders/${first.id}`)).status, 'delivered')

    // A parcel is booked with the account of the store, of which the packer sees nothing but the name.
    await api.send('PATCH', '/carriers/blue-post', { credentials: { key: 'secret' } })
    const booked = await placeByApi(fixture, { goods: { 'masala-dabba': 3 }, name: 'Meena' })
    await openOrder(packer, booked)
    await button(page, /^Ship$/).click()
    const shipping = dialog(page, `Ship order ${booked.number}`)
    await sees(shipping.getByLabel('Book with Blue Post'))
    assert.ok(await shipping.getByLabel('Book with Blue Post').isChecked())
    await units(shipping, /Masala dabba/).fill('2')
    await shipping.getByLabel('Weight in kg').fill('heavy')
    await button(shipping, 'Book 2 units').click()
    await sees(shipping.getByText('Weight and size must be numbers.'))
    await shipping.getByLabel('Weight in kg').fill('31')
    await button(shipping, 'Book 2 units').click()
    await sees(shipping.getByText('Blue Post takes up to 30 kg.'))
    await shipping.getByLabel('Weight in kg').fill('0,75')
    post.does.answer = false
    await button(shipping, 'Book 2 units').click()
    await sees(shipping.getByText('The carrier blue-post did not answer.'))
    assert.equal(await shipping.getByLabel('Weight in kg').inputValue(), '0,75', 'what was typed stays')
    post.does.answer = true
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await packer.context.route('**/shipments', loseAnswer)
    await button(shipping, 'Book 2 units').click()
    await sees(shipping.getByText('The service cannot be reached.'))
    await packer.context.unroute('**/shipments', loseAnswer)
    await button(shipping, 'Book 2 units').click()
    await closed(shipping)
    await sees(page.getByText('Booked 2 units', { exact: false }).first())
    await sees(page.getByText(/^Blue Post Air/))
    assert.deepEqual(
      post.parcels.map(({ weightKg }) => weightKg),
      [0.75],
      'one parcel for all attempts',
    )
    // What a lost connection has left is booked later, also by others.
    post.does.answer = false
    await button(page, /^Ship$/).click()
    await shipping.getByLabel('Weight in kg').fill('0.5')
    await button(shipping, 'Book 1 unit').click()
    await sees(shipping.getByText('The carrier blue-post did not answer.'))
    await page.keyboard.press('Escape')
    await closed(shipping)
    await openOrder(owner, booked)
    await sees(owner.page.getByText('Not booked yet'))
    post.does.answer = true
    await button(owner.page, 'Finish the booking').click()
    const finishing = dialog(owner.page, `Ship order ${booked.number}`)
    await sees(finishing.getByText(/Blue Post has not confirmed this parcel of 1 unit yet/))
    await finishing.getByLabel('Weight in kg').fill('0.5')
    await button(finishing, 'Book 1 unit').click()
    await closed(finishing)
    assert.equal(post.parcels.length, 2)
    const { shipments } = await api.get(`/orders/${booked.id}`)
    assert.deepEqual(
      shipments.map(({ status, carrier }: Record<string, string>) => [status, carrier]),
      [
        ['booked', 'blue-post'],
        ['booked', 'blue-post'],
      ],
    )
    // The label, the pickup, and a parcel that is not sent after all.
    await page.reload()
    await button(page, 'Make label').first().click()
    await sees(page.getByText('The label is ready.'))
    const label = page.getByRole('link', { name: 'label', exact: true })
    assert.match(String(await label.getAttribute('href')), /^https:\/\/labels\.example\/.*pdf$/)
    await button(page, 'Ask for pickup').first().click()
    await sees(page.getByText('The courier is asked to come.'))
    await button(page, 'Cancel parcel').last().click()
    await button(dialog(page, 'Cancel this parcel?'), 'Cancel parcel').click()
    await sees(page.getByText('1 to ship'))
    assert.equal(post.parcels.length, 1)
    await sees(button(page, /^Ship$/))
    for (const window of dialogWindows) {
      const staff = await staffWith(fixture, 'fulfilment', window)
      await openOrder(staff, booked)
      await sees(button(staff.page, 'Cancel parcel'))
      await checkPage(staff.page, `booked parcels ${JSON.stringify(window)}`)
      await openOrder(staff, await placeByApi(fixture, { name: 'Nila' }))
      await button(staff.page, /^Ship$/).click()
      await sees(dialog(staff.page, /^Ship/).getByLabel('Weight in kg'))
      await checkPage(staff.page, `booking a parcel ${JSON.stringify(window)}`)
    }

    const support = await staffWith(fixture, 'support')
    await openOrder(support, third)
    assert.equal(await button(support.page, /^Ship$/).count(), 0)
    await button(support.page, /^Refund$/).click()
    const refund = dialog(support.page, /^Refund order/)
    await sees(refund.getByText(/Your role may refund up to ₹1,000/))
    await units(refund, /Masala dabba/).fill('1')
    await sees(refund.getByText(/You may refund up to ₹1,000/))
    assert.ok(await button(refund, /^Refund$/).isDisabled())
    await refund.getByLabel('An amount').check()
    await refund.getByLabel('Amount in INR').fill('999.50')
    await button(refund, 'Refund ₹999.50').click()
    await closed(refund)
    assert.equal((await api.get(`/orders/${third.id}`)).refundedTotal, 999.5)

    await openOrder(owner, unpaid)
    await button(owner.page, 'Cancel order').click()
    const cancel = dialog(owner.page, `Cancel order ${unpaid.number}`)
    await sees(cancel.getByText(`Cancel order ${unpaid.number} and return 2 units to stock.`))
    await button(cancel, `Cancel order ${unpaid.number}`).click()
    await closed(cancel)
    await sees(owner.page.getByText('Cancelled').first())
  },
  () => ({ carriers: [post.carrier] }),
)

browserTest('a return goes from the request to the refund, and the screens fit every window', async (fixture) => {
  const order = await placeByApi(fixture, { goods: { 'masala-dabba': 2, 'cafe-au-lait-mug': 1 } })
  const flagged = await placeByApi(fixture)
  const { db } = fixture.service
  await db.run`update orders set needs_attention = 'DISPUTE' where store_id = ${fixture.store.id} and id = ${flagged.id}`
  const owner = await staffWith(fixture, 'owner')
  const { page } = owner
  const api = apiOf(fixture, owner)
  await api.send('POST', `/orders/${order.id}/deliver`, {})
  const asked = await order.call('POST', `/v1/customer/orders/${order.id}/returns`, {
    body: { items: [{ id: order.items[0]?.id, quantity: 1 }], reason: 'Chipped' },
  })
  assert.equal(asked.status, 201, asked.text)
  await owner.open('returns')
  await button(page, 'To decide').click()
  await page.getByRole('link', { name: `Of order ${order.number}` }).click()
  await sees(heading(page, `Return of order ${order.number}`))
  await button(page, 'Approve').click()
  const approval = dialog(page, /^Approve/)
  await approval.getByLabel('Answer').fill('Send it to our shop.')
  await owner.context.setOffline(true)
  await button(approval, 'Approve').click()
  await sees(approval.getByText('The service cannot be reached.'))
  assert.equal(await approval.getByLabel('Answer').inputValue(), 'Send it to our shop.')
  await owner.context.setOffline(false)
  await button(approval, 'Approve').click()
  await closed(approval)
  await sees(page.getByText('Send it to our shop.'))
  await button(page, 'Items have arrived').click()
  await button(dialog(page, 'Items have arrived'), 'Put 1 unit back in stock').click()
  await sees(page.getByText('Back in stock', { exact: true }))
  await button(page, /^Refund$/).click()
  await button(dialog(page, /^Refund the return/), /^Refund ₹1,249/).click()
  await sees(page.getByText(/^Refunded ₹1,249/))
  assert.equal((await api.get(`/returns/${asked.json.id}`)).status, 'refunded')
  assert.equal((await api.get(`/orders/${order.id}`)).refundedTotal, 1249)

  await openOrder(owner, flagged)
  await sees(page.getByText('The customer disputes the payment'))
  await button(page, 'Mark as done').click()
  await button(dialog(page, /disputes/), 'Mark as done').click()
  await becomes(async () => page.getByText('The customer disputes the payment').count(), 0)

  for (const window of dialogWindows) {
    const staff = await staffWith(fixture, 'owner', window)
    const check = (name: string) => checkPage(staff.page, `${name} ${JSON.stringify(window)}`)
    await staff.open('orders')
    await staff.page.getByLabel(`Select order ${flagged.number}`).check()
    await staff.page.getByText('More filters').click()
    await check('orders')
    await button(staff.page, /^Ship$/).click()
    await sees(dialog(staff.page, /^Ship/))
    await check('shipping many')
    await openOrder(staff, flagged)
    await check('an order')
    await button(staff.page, /^Refund$/).click()
    await units(dialog(staff.page, /^Refund/), /Masala/).fill('1')
    await sees(button(staff.page, /^Refund ₹/))
    await check('a refund')
    await staff.open('returns')
    await sees(staff.page.getByRole('link', { name: /Of order/ }))
    await check('returns')
    await staff.open(`returns/${asked.json.id}`)
    await sees(heading(staff.page, /^Return of order/))
    await check('a return')
  }
})
