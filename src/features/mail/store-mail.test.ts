import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { DomainError } from '../../core/domain-errors.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { failPayment, payOrder, placeOrder } from '../orders/fixture.ts'
import { readOrder } from '../orders/orders.sql.ts'
import { forGood, lastMail, mailRows, openMailScene, senderWith, setStore, temporarily } from './fixture.ts'
import { resendMail } from './resend.ts'

const lowStockMails = (mails: readonly { name: string }[]) => mails.filter(({ name }) => name === 'stock.low').length

test('a store gets one mail a day about low stock, with everything that is low then', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  await shop.add({ name: 'Bowl', price: 1, stock: 9, sku: 'BOWL' }, { name: 'Vase', price: 1, stock: 50 })
  for (const slug of ['mug', 'bowl']) await placeOrder(service, shop, asha, { goods: { [slug]: 5 }, method: 'cod' })
  await runJobs()
  const mail = lastMail(mails, 'stock.low', 'owner@shop.example')
  // Lamp has had three from the beginning.
  assert.equal(mail.subject, '3 products are running low at Test shop')
  for (const line of [
    /Mug\n {4}MUG · Main = 5 left/,
    /Bowl\n {4}BOWL · Main = 4 left/,
    /Lamp\n {4}LAMP · Main = 3 left/,
  ]) {
    assert.match(mail.text, line)
  }
  assert.doesNotMatch(mail.text, /Vase|Book/)
  await placeOrder(service, shop, asha, { goods: { vase: 46 }, method: 'cod' })
  await runJobs()
  assert.equal(lowStockMails(mails), 1)
  const states = (await mailRows(service, shop)).filter(({ message }) => message === 'stock.low')
  assert.deepEqual(states.map(({ state }) => state).sort(), ['sent', 'skipped', 'waiting'])
  service.clock.advance(hours(23))
  await runJobs()
  assert.equal(lowStockMails(mails), 1)
  service.clock.advance(hours(1) + minutes(1))
  await runJobs()
  assert.equal(lowStockMails(mails), 2)
  const second = lastMail(mails, 'stock.low')
  assert.match(second.subject, /^4 products/)
  assert.match(second.text, /Vase/)
  // A day begins when its mail is sent, not when the mail was queued.
  await shop.add({ name: 'Plate', price: 1, stock: 6 })
  await placeOrder(service, shop, asha, { goods: { plate: 1 }, method: 'cod' })
  service.clock.advance(hours(23))
  await runJobs()
  assert.equal(lowStockMails(mails), 2)
  service.clock.advance(hours(2))
  await runJobs()
  await runJobs()
  assert.equal(lowStockMails(mails), 3)
})

test('a product with several variants that are low is one product', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const variants = ['S', 'M'].map((size) => ({ options: { Size: size }, title: size, price: 1, stock: 2 }))
  await shop.add({ name: 'Shirt', options: [{ name: 'Size', values: ['S', 'M'] }], variants })
  await placeOrder(service, shop, asha, { goods: { mug: 5 }, method: 'cod' })
  await runJobs()
  const { subject, text } = lastMail(mails, 'stock.low')
  // Besides the shirt: Mug, and Lamp, which has had three from the beginning.
  assert.equal(subject, '3 products are running low at Test shop')
  for (const line of [/Shirt · S/, /Shirt · M/]) assert.match(text, line)
})

test('a variant that is sold out at once is told as low in stock', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  await placeOrder(service, shop, asha, { goods: { mug: 10 }, method: 'cod' })
  await runJobs()
  assert.match(lastMail(mails, 'stock.low', 'owner@shop.example').text, /Mug\n {4}MUG · Main = sold out/)
})

test('a mail about low stock that failed or was skipped does not use up the day', async (t) => {
  let isRefused = true
  const sent: string[] = []
  const mailSender = senderWith(({ name, text }) => {
    if (name === 'stock.low' && isRefused) return forGood()
    if (name === 'stock.low') sent.push(text)
    return null
  })
  const { service, shop, asha, runJobs } = await openMailScene(t, { mailSender })
  await shop.add({ name: 'Bowl', price: 1, stock: 9 }, { name: 'Vase', price: 1, stock: 9 })
  await placeOrder(service, shop, asha, { goods: { mug: 5 }, method: 'cod' })
  await runJobs()
  isRefused = false
  await setStore(service, shop, { mailOff: ['stock.low'] })
  await placeOrder(service, shop, asha, { goods: { bowl: 5 }, method: 'cod' })
  await runJobs()
  await setStore(service, shop, { mailOff: [] })
  await placeOrder(service, shop, asha, { goods: { vase: 5 }, method: 'cod' })
  await runJobs()
  assert.equal(sent.length, 1)
  for (const name of [/Mug/, /Bowl/, /Vase/]) assert.match(sent[0] ?? '', name)
})

test('instances that work at the same time send one mail about low stock, and it is repeated after a failure', async (t) => {
  let isDown = true
  const sent: string[] = []
  const mailSender = senderWith(({ name }) => {
    if (isDown) return temporarily()
    sent.push(name)
    return null
  })
  const { service, shop, asha, runJobs } = await openMailScene(t, { mailSender })
  const files = Array.from({ length: 8 }, (_, i) => ({ name: `Cup ${i}`, price: 1, stock: 6 }))
  await shop.add(...files)
  for (let i = 0; i < 8; i++) await placeOrder(service, shop, asha, { goods: { [`cup-${i}`]: 2 }, method: 'cod' })
  await Promise.all([1, 2, 3].map(() => newRunner(service).runDue()))
  isDown = false
  service.clock.advance(minutes(1) + seconds(1))
  await runJobs()
  assert.equal(sent.filter((name) => name === 'stock.low').length, 1)
})

test('an operator sends a mail of an order again, to the present address, a few times an hour', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const store = await shop.load()
  const orderId = await placeOrder(service, shop, asha)
  await payOrder(service, shop, orderId)
  await runJobs()
  await service.db.run`update customer set email = 'new@example.com' where store_id = ${store.id}`
  const order = await readOrder(service.db, store.id, orderId)
  assert.ok(order)
  const resend = (message: string) => service.db.tx((tx) => resendMail(tx, store, order, message))
  const refusalOf = async (message: string) => {
    const error: unknown = await resend(message).catch((thrown) => thrown)
    assert.ok(error instanceof DomainError, String(error))
    return error.code
  }
  const parallel = await Promise.allSettled(Array.from({ length: 5 }, () => resend('order.paid')))
  assert.equal(parallel.filter(({ status }) => status === 'fulfilled').length, 3)
  assert.equal(await refusalOf('order.paid'), 'MAIL_RESENT_TOO_OFTEN')
  await runJobs()
  const copies = mails.filter(({ name }) => name === 'order.paid')
  assert.deepEqual(
    copies.map(({ to }) => to),
    ['asha@example.com', 'new@example.com', 'new@example.com', 'new@example.com'],
  )
  assert.equal(new Set(copies.map(({ id }) => id)).size, 4)
  service.clock.advance(hours(1) + seconds(1))
  for (let i = 0; i < 3; i++) await resend('order.paid')
  assert.equal(await refusalOf('order.paid'), 'MAIL_RESENT_TOO_OFTEN')
  assert.equal(await refusalOf('order.shipped'), 'MAIL_NOTHING_TO_RESEND')
  assert.equal(await refusalOf('otp.code'), 'MESSAGE_UNKNOWN')
  await service.db.run`update customer set email = null where store_id = ${store.id}`
  assert.equal(await refusalOf('order.placed'), 'MAIL_RECIPIENT_MISSING')
})

test('a mail of an order that would not be sent cannot be resent', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const store = await shop.load()
  const [paid, expired] = [await placeOrder(service, shop, asha), await placeOrder(service, shop, asha)]
  const resend = async (orderId: string, message: string, at = store) => {
    const order = await readOrder(service.db, store.id, orderId)
    assert.ok(order)
    return service.db.tx((tx) => resendMail(tx, at, order, message))
  }
  for (const orderId of [paid, expired]) await failPayment(service, shop, orderId)
  await resend(paid, 'order.payment_failed')
  await payOrder(service, shop, paid)
  service.clock.advance(hours(1))
  for (const orderId of [paid, expired])
    await assert.rejects(resend(orderId, 'order.payment_failed'), { code: 'MAIL_OUTDATED' })
  await assert.rejects(resend(paid, 'order.paid', { ...store, mailOff: ['order.paid'] }), {
    code: 'MAIL_SWITCHED_OFF',
  })
  await service.db.run`update customer set email = 'a,b@example.com' where store_id = ${store.id}`
  await assert.rejects(resend(paid, 'order.paid'), { code: 'MAIL_ADDRESS_INVALID' })
  await runJobs()
  assert.deepEqual(
    mails.map(({ name }) => name).filter((name) => name === 'order.payment_failed'),
    [],
  )
})
