import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { startReceiver } from '../../src/features/outgoing-webhooks/fixture.ts'
import { openScene } from '../../src/features/payments/fixture.ts'
import { startStripeDouble } from '../doubles/stripe.ts'
import { checkPage, dialogWindows, staffWith, windows } from './admin-steps.ts'
import { browserTest } from './fixture.ts'
import { becomes, button, heading, sees } from './steps.ts'

let stripe: Awaited<ReturnType<typeof startStripeDouble>>
before(async () => {
  stripe = await startStripeDouble()
})
after(() => stripe.close())

const withStripe = () => ({ urls: { juspay: '', razorpay: '', shiprocket: '', stripe: stripe.url } })

const save = async (page: Page) => {
  await button(page, 'Save').click()
  await sees(page.getByText('Saved.'))
}

browserTest(
  'an owner sets up a new store step by step, and the service ticks each step',
  async (fixture) => {
    const { service } = fixture
    const { shop, store, order, report } = await openScene(service, { stock: 0 })
    const { context, page, open } = await staffWith({ ...fixture, store }, 'owner', windows[0])
    const counted = (count: number) => sees(page.getByText(`${count} of 7 done`))
    const follow = async (link: string, title: string) => {
      await open('setup')
      await page.getByRole('link', { name: link }).click()
      await sees(heading(page, title))
    }
    await open('setup')
    await counted(0)
    assert.equal(await page.getByRole('progressbar').getAttribute('value'), '0')
    await checkPage(page, 'a new checklist')

    await follow('Add the address', 'Website')
    await page.getByLabel('Address to add').fill('shop.example')
    await button(page, 'Add').click()
    assert.equal(await page.getByLabel('Address to add').inputValue(), 'shop.example', 'the browser asks for https')
    await page.getByLabel('Address to add').fill('https://shop.example')
    await button(page, 'Add').click()
    await sees(button(page, 'Remove https://shop.example'))

    // Stripe refuses the key: the account stays off, and what was typed stays.
    await follow('Set up payments', 'Payments')
    const panel = page.getByRole('region', { name: 'Stripe' })
    await button(panel, 'Enter credentials').click()
    const dialog = page.getByRole('dialog', { name: 'Credentials of Stripe' })
    const { secretKey = '', webhookSecret = '' } = stripe.openAccount(service.url, shop.storeId)
    await dialog.getByLabel('Secret key').fill('sk_test_wrong')
    await dialog.getByLabel('Webhook secret').fill(webhookSecret)
    await button(dialog, 'Check and switch on').click()
    await sees(dialog.getByText(/refused the credentials, and nothing was changed/))
    assert.equal(await dialog.getByLabel('Webhook secret').inputValue(), webhookSecret)
    await checkPage(page, 'refused credentials')
    await dialog.getByLabel('Secret key').fill(secretKey)
    await button(dialog, 'Check and switch on').click()
    await dialog.waitFor({ state: 'hidden' })
    await sees(panel.getByText('On', { exact: true }))
    await sees(panel.getByText('Test mode'))
    const address = await panel.getByRole('textbox', { name: 'Webhook address' }).inputValue()
    assert.match(address, new RegExp(`^http://localhost:\\d+/webhook/stripe/${shop.storeId}$`))
    assert.ok(!(await page.content()).includes(secretKey), 'credentials never come out')

    await follow('Set the cost', 'Shipping')
    assert.equal(await page.getByLabel('Cost of shipping').inputValue(), '', 'nothing is chosen yet')
    await page.getByLabel('Cost of shipping').fill('0')
    await save(page)
    await follow('Choose', 'Tax and invoices')
    await page.getByLabel('Your prices').selectOption('Include tax')
    await save(page)

    // The service cannot be reached: what was typed survives the failure and a reload.
    await follow('Set up mail', 'Mail')
    await context.route('**/settings', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByLabel('Replies go to').fill('care@shop.example')
    await button(page, 'Save').click()
    await sees(page.getByText('The service cannot be reached.'))
    await page.reload()
    await becomes(() => page.getByLabel('Replies go to').inputValue(), 'care@shop.example')
    await context.unroute('**/settings')
    await save(page)

    await open('setup')
    await counted(5)
    await sees(page.getByText('Mail is sent, and replies go to care@shop.example.'))
    await checkPage(page, 'a checklist in progress')
    // The rest happens elsewhere, and the page notices.
    const { data } = await (await context.request.get(`/admin/v1/stores/${shop.storeId}/stock`)).json()
    const stocked = await context.request.post(`/admin/v1/stores/${shop.storeId}/stock/adjust`, {
      headers: { origin: new URL(page.url()).origin },
      data: { variantId: data[0].variantId, set: 5, reason: 'counted' },
    })
    assert.ok(stocked.ok(), await stocked.text())
    await counted(6)
    await report(await order())
    await counted(7)
    await sees(page.getByText('Everything is ready.'))
  },
  withStripe,
)

browserTest('keys, webhooks and a conflict of two owners, and what a viewer sees', async (fixture, t) => {
  const { service } = fixture
  const { context, page, open } = await staffWith(fixture, 'owner')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])

  await open('settings/keys')
  await button(page, 'Create a key').click()
  await page.getByLabel('Name').fill('Landing page')
  await button(page, 'Create the key').click()
  const secret = page.getByRole('dialog', { name: 'Your new key' })
  await button(secret, 'Copy key').click()
  await sees(secret.getByText('Copied'))
  const key = await page.evaluate<string>('navigator.clipboard.readText()')
  assert.match(key, /^vpk_\w{32}$/)
  const use = async () => (await service.call('/v1/store', { headers: { 'x-store-key': key } })).status
  assert.equal(await use(), 200)
  await button(secret, 'Done').click()
  assert.ok(!(await page.content()).includes(key))
  await button(page, 'Revoke Landing page').click()
  const question = page.getByRole('dialog', { name: 'Revoke Landing page?' })
  await sees(question.getByText(/uses this key stops working/))
  await button(question, 'Revoke').click()
  await sees(page.getByRole('row', { name: /Landing page/ }).getByText('Revoked'))
  await becomes(use, 401)

  const receiver = await startReceiver(t)
  await open('settings/webhooks')
  await button(page, 'Add an endpoint').click()
  await page.getByLabel('Address').fill(receiver.url)
  await page.getByLabel('Customers').check()
  await button(page, 'Add the endpoint').click()
  const hook = page.getByRole('dialog', { name: 'Secret of the endpoint' })
  assert.match(await hook.getByRole('textbox', { name: 'Secret' }).inputValue(), /^whsec_/)
  await button(hook, 'Done').click()
  await sees(page.getByText('Orders, Customers'))
  await button(page, 'Send a test event').click()
  await sees(page.getByText(/The endpoint accepted the test event with 200/))
  assert.equal(receiver.received[0]?.json.type, 'webhook.test')
  await button(page, 'Delete').click()
  await button(page.getByRole('dialog', { name: 'Delete this endpoint?' }), 'Delete').click()
  await sees(page.getByText('No endpoints yet'))

  const other = await staffWith(fixture, 'manager')
  for (const one of [{ page, open }, other]) {
    await one.open('settings/general')
    await sees(one.page.getByLabel('Store name'))
  }
  await other.page.getByLabel('Store name').fill('Green Door')
  await save(other.page)
  await page.getByLabel('Store name').fill('Red Door')
  await page.getByRole('textbox', { name: 'City', exact: true }).fill('Mysuru')
  await button(page, 'Save').click()
  const conflict = page.getByRole('dialog', { name: /Saved by someone else/ })
  await sees(conflict.getByRole('row', { name: /Store name Red Door Green Door/ }))
  await button(conflict, 'Save my changes').click()
  await conflict.waitFor({ state: 'hidden' })
  await sees(page.getByText('Saved.'))
  await sees(page.getByRole('link', { name: 'Red Door' }))
  // A manager keeps no secrets.
  await other.open('settings/payments')
  await sees(heading(other.page, 'Payments'))
  await sees(other.page.getByRole('region', { name: 'Stripe' }))
  assert.equal(await other.page.getByRole('button', { name: /credentials|Switch on/ }).count(), 0)

  const support = await staffWith(fixture, 'support')
  await support.open('settings')
  await sees(support.page.getByText('Your role does not allow this'))

  const viewer = await staffWith(fixture, 'viewer')
  await viewer.open('settings/general')
  await sees(viewer.page.getByText('Red Door').last())
  for (const subject of ['general', 'website', 'payments', 'tax', 'outlets', 'keys', 'webhooks']) {
    await viewer.open(`settings/${subject}`)
    await viewer.page.waitForLoadState('networkidle')
    const main = viewer.page.getByRole('main')
    assert.equal(await main.locator('input:not([readonly]), select, button').count(), 0, subject)
  }
})

const subjects = [
  'general',
  'website',
  'payments',
  'checkout',
  'shipping',
  'tax',
  'outlets',
  'carriers',
  'mail',
  'keys',
]

browserTest('all pages of settings have no accessibility violations and fit a phone', async (fixture) => {
  for (const window of dialogWindows) {
    const { page, open } = await staffWith(fixture, 'owner', window)
    for (const path of ['settings', ...[...subjects, 'webhooks'].map((subject) => `settings/${subject}`)]) {
      await open(path)
      await sees(heading(page, /./))
      await checkPage(page, `${path} ${window.colorScheme}`)
    }
    await button(page, 'Add an endpoint').click()
    await sees(page.getByRole('dialog'))
    await checkPage(page, `a new endpoint ${window.colorScheme}`)
  }
})
