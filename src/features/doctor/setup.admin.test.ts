import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { startStripeDouble } from '../../../test/doubles/stripe.ts'
import { newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openScene } from '../payments/fixture.ts'

let service: TestService
let stripe: Awaited<ReturnType<typeof startStripeDouble>>
before(async () => {
  stripe = await startStripeDouble()
  const urls = { juspay: '', razorpay: '', shiprocket: '', stripe: stripe.url }
  service = await startTestService({ passwords: cheapPasswords, urls })
})
after(async () => {
  await service.close()
  await stripe.close()
})

type Step = { name: string; done: boolean; detail: string }

test('each step of a new store is done when the store really has it, and says until then what is missing', async () => {
  const { shop, order, report } = await openScene(service, { stock: 0 })
  const owner = await newStaff(service, shop)
  const read = async () => {
    const { status, json, text } = await owner.inStore('GET', '/setup')
    assert.equal(status, 200, text)
    const steps: Step[] = json.steps
    assert.equal(json.done, steps.filter(({ done }) => done).length)
    const detailOf = (name: string) => steps.find((step) => step.name === name)?.detail ?? ''
    return { done: steps.filter(({ done }) => done).map(({ name }) => name), detailOf, count: steps.length }
  }
  const change = async (method: string, path: string, body: unknown) => {
    const { status, text } = await owner.inStore(method, path, body)
    assert.ok(status < 300, text)
  }
  const first = await read()
  assert.deepEqual([first.done, first.count], [[], 7])
  assert.match(first.detailOf('payment'), /no money moves/)

  await change('POST', '/origins', { origin: 'https://green.example' })
  assert.deepEqual((await read()).done, ['storefront'])

  // Saved without a check, an account does not count. The check of the provider makes it count.
  const credentials = stripe.openAccount(service.url, shop.storeId)
  await change('PATCH', '/payment-accounts/stripe', { credentials, check: false })
  assert.equal((await read()).done.includes('payment'), false)
  await change('POST', '/payment-accounts/stripe/activate', undefined)
  const paid = await read()
  assert.deepEqual(paid.done, ['storefront', 'payment'])
  assert.match(paid.detailOf('payment'), /test mode/)
  await change('PATCH', '/payment-accounts/stripe', { credentials: { webhookSecret: 'whsec_new' }, check: false })
  assert.match((await read()).detailOf('payment'), /without a check/)
  await change('PATCH', '/payment-accounts/stripe', { credentials })
  assert.deepEqual((await read()).done, ['storefront', 'payment'])

  // Free shipping and prices without tax are decisions, although a store begins with both.
  await change('PATCH', '/settings', { name: 'Green Door' })
  assert.deepEqual((await read()).done, ['storefront', 'payment'])
  await change('PATCH', '/settings', { shipping: { flat: 0 } })
  assert.equal((await read()).detailOf('shipping'), 'Shipping is free.')
  await change('PATCH', '/settings', { taxIncluded: false })
  assert.deepEqual((await read()).done, ['storefront', 'payment', 'shipping', 'tax'])
  await change('PATCH', '/settings', { contact: { email: 'care@green.example' } })
  assert.equal((await read()).detailOf('mail'), 'Mail is sent, and replies go to care@green.example.')

  const [{ variantId }] = (await owner.inStore('GET', '/stock')).json.data
  await change('POST', '/stock/adjust', { variantId, set: 5, reason: 'counted' })
  assert.deepEqual((await read()).done, ['storefront', 'payment', 'shipping', 'tax', 'mail', 'product'])
  const placed = await order()
  assert.equal((await read()).done.includes('order'), false, 'an order that is not paid')
  await report(placed)
  assert.equal((await read()).done.length, 7)
})

test('a cash store needs no account, and a service without mail says so', async () => {
  const silent = await startTestService({ passwords: cheapPasswords, mailSender: null })
  try {
    const shop = await newStore(silent)
    const owner = await newStaff(silent, shop)
    await owner.inStore('POST', '/payment-accounts/cod/activate')
    const steps: Step[] = (await owner.inStore('GET', '/setup')).json.steps
    const stepOf = (name: string) => steps.find((step) => step.name === name)
    assert.equal(stepOf('payment')?.done, true)
    assert.deepEqual([stepOf('mail')?.done, stepOf('mail')?.detail.includes('sends no mail')], [false, true])
  } finally {
    await silent.close()
  }
})
