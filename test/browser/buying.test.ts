import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { browserTest } from './fixture.ts'
import {
  addToCart,
  becomes,
  button,
  cartDrawer,
  fillAddress,
  goToPayment,
  heading,
  openCart,
  orderIdOf,
  orderUpToPayment,
  reload,
  sees,
  signIn,
  tellPaid,
} from './steps.ts'

const phone = '+919876543210'

browserTest(
  'a guest fills a cart, signs in, pays and gets the parcel, and a reload at any step loses nothing',
  async (fixture) => {
    const { page, pageErrors } = await fixture.newShopper()
    await page.goto('/')
    await sees(heading(page, /./))
    await page.goto('/product/cafe-au-lait-mug')
    await page.getByRole('radio').last().check({ force: true })
    await page.waitForURL(/variant=/)
    const variant = new URL(page.url()).searchParams.get('variant')
    await reload(page, heading(page, /mug/i))
    assert.equal(new URL(page.url()).searchParams.get('variant'), variant, 'the chosen variant outlives a reload')
    await button(page, 'Add to cart').click()
    await sees(cartDrawer(page).getByText('1 item', { exact: true }))
    await addToCart(page, 'chai-at-home-ebook')
    await button(cartDrawer(page).getByRole('listitem').first(), 'One more').click()
    await sees(cartDrawer(page).getByText('3 items', { exact: true }))
    await page.reload()
    await sees(button(page, 'Cart, 3 items'))

    await openCart(page)
    await cartDrawer(page).getByRole('link', { name: 'Checkout' }).click()
    await page.getByLabel('Phone number').fill(phone)
    await reload(page, page.getByLabel('Phone number'))
    await becomes(() => page.getByLabel('Phone number').inputValue(), phone, 'a half-filled form outlives a reload')
    await signIn(page, phone)
    await sees(page.getByText('Deliver to'))
    const merged = await fixture.service.db.many`
      select id from guest where store_id = ${fixture.store.id} and merged_at is not null`
    assert.equal(merged.length, 1)
    await reload(page, button(page, /^Pay ₹/), page.locator('.summary').getByText(/Café au lait mug/i))

    await fillAddress(page)
    await reload(page, page.getByLabel('Full name'))
    await becomes(() => page.getByLabel('Full name').inputValue(), 'Asha Rao')
    await page.getByLabel('Coupon code').fill('welcome10')
    await button(page, 'Apply').click()
    await sees(button(page, 'Remove code WELCOME10'))
    await reload(page, button(page, 'Remove code WELCOME10'))

    await goToPayment(page)
    await reload(page, button(page, 'Pay'))
    await button(page, 'Pay').click()
    await sees(heading(page, 'Thank you, your order is paid'))
    const orderId = orderIdOf(page)
    await reload(page, heading(page, 'Thank you, your order is paid'))
    await sees(button(page, /^Cart$/))

    await page.getByRole('link', { name: 'See your order' }).click()
    await sees(page.getByTestId('order-status').getByText('Paid'))
    await button(page, 'Move the parcel on').click()
    await sees(page.getByTestId('order-status').getByText('On its way'))
    await reload(page, page.getByTestId('order-status').getByText('On its way'))
    await button(page, 'Move the parcel on').click()
    await sees(page.getByTestId('order-status').getByText('Delivered'))
    await reload(page, page.getByTestId('order-status').getByText('Delivered'))
    assert.ok(page.url().endsWith(orderId))

    await page.getByRole('link', { name: 'Go to downloads' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, /^Download/)
        .first()
        .click(),
    ])
    assert.match(readFileSync(await download.path(), 'latin1').slice(0, 5), /^%PDF-/)
    await sees(page.getByText('4 downloads left'))
    assert.deepEqual(pageErrors, [])
  },
)

browserTest('a payment that fails is tried again for the same order, which is paid once', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/sign-in')
  await signIn(page, phone)
  await sees(heading(page, /account/i))
  await orderUpToPayment(page)
  await button(page, 'Let it fail').click()
  await sees(heading(page, 'Your payment did not go through'))
  const orderId = orderIdOf(page)
  await reload(page, heading(page, 'Your payment did not go through'))
  await button(page, 'Try again').click()
  await page.waitForURL(/\/sandbox\//)
  await button(page, 'Pay').click()
  await sees(heading(page, 'Thank you, your order is paid'))
  assert.equal(orderIdOf(page), orderId)
  const orders = await fixture.service.db.many<{ paymentStatus: string }>`
    select payment_status as "paymentStatus" from orders where store_id = ${fixture.store.id}`
  assert.deepEqual(
    orders.map(({ paymentStatus }) => paymentStatus),
    ['paid'],
  )
  assert.deepEqual(pageErrors, [])
})

browserTest('a payment that is settled later updates the waiting page by itself', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await page.goto('/sign-in')
  await signIn(page, phone)
  await sees(heading(page, /account/i))
  await orderUpToPayment(page)
  await button(page, 'Decide later').click()
  await sees(heading(page, 'Waiting for your payment'))
  await reload(page, heading(page, 'Waiting for your payment'))
  await tellPaid(fixture, orderIdOf(page))
  await sees(heading(page, 'Thank you, your order is paid'))
  await sees(button(page, /^Cart$/))
  assert.deepEqual(pageErrors, [])
})

browserTest('cash on delivery is placed without a payment page', async (fixture) => {
  const { page, pageErrors } = await fixture.newShopper()
  await addToCart(page, 'masala-dabba')
  await page.goto('/checkout')
  await signIn(page, phone)
  await fillAddress(page)
  await page.getByRole('radio', { name: /Cash on delivery/ }).check()
  await button(page, 'Place order').click()
  await sees(page.getByText('Thank you for your order.'))
  await sees(page.getByTestId('order-status').getByText('Placed'))
  await sees(button(page, /^Cart$/))
  assert.deepEqual(pageErrors, [])
})
