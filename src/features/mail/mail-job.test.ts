import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTriggers } from '../../../test/cluster.ts'
import { answerWith, mailServerCertificate, startMailServer } from '../../../test/doubles/mail-server.ts'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { listJobKinds } from '../../job-kinds.ts'
import { newRunner } from '../../jobs/fixture.ts'
import { createJobRunner } from '../../jobs/runner.ts'
import type { OutgoingMail } from '../../providers/mail/sender.ts'
import { createSmtpSender } from '../../providers/mail/smtp-sender.ts'
import { post } from '../accounts/fixture.ts'
import { email, fastPasswords, forgot, signUp } from '../accounts/mail-fixture.ts'
import { queueMail } from '../events/record.ts'
import { failPayment, payOrder, placeOrder } from '../orders/fixture.ts'
import { forGood, lastMail, mailRows, openMailScene, senderWith, setStore, temporarily } from './fixture.ts'
import { claimDueMail } from './mail.sql.ts'
import { MailNotNoted, postponeOrFail } from './send-mail.ts'

test('the customer of an order gets a mail for each thing that happens to it, once', async (t) => {
  const { service, shop, asha, runJobs, mails, failures } = await openMailScene(t)
  const orderId = await placeOrder(service, shop, asha)
  await failPayment(service, shop, orderId)
  await runJobs()
  await payOrder(service, shop, orderId)
  await runJobs()
  await runJobs()
  assert.deepEqual(failures, [])
  const sent = mails.map(({ name, to }) => [name, to])
  assert.deepEqual(sent.sort(), [
    ['order.paid', 'asha@example.com'],
    ['order.payment_failed', 'asha@example.com'],
    ['order.placed', 'asha@example.com'],
  ])
  for (const row of await mailRows(service, shop)) {
    assert.deepEqual([row.state, row.error, row.recipient], ['sent', '', 'asha@example.com'])
  }
})

test('nobody is asked to pay again after an order was paid, or when its time has passed', async (t) => {
  let isDown = true
  const sent: string[] = []
  const mailSender = senderWith(({ name }) => {
    if (isDown) return temporarily()
    sent.push(name)
    return null
  })
  const { service, shop, asha } = await openMailScene(t, { mailSender })
  const mailKinds = listJobKinds(service.app.services, service.db).filter(({ name }) => name === 'mail')
  // Without the job that ends orders in time.
  const sendDue = () => createJobRunner({ kinds: mailKinds, onFailure: () => {} }).runDue()
  const paid = await placeOrder(service, shop, asha)
  for (const orderId of [paid, await placeOrder(service, shop, asha)]) await failPayment(service, shop, orderId)
  await sendDue()
  await payOrder(service, shop, paid)
  isDown = false
  service.clock.advance(hours(1))
  await sendDue()
  assert.ok(sent.includes('order.paid') && !sent.includes('order.payment_failed'), sent.join())
  const skipped = (await mailRows(service, shop)).filter(({ message }) => message === 'order.payment_failed')
  assert.deepEqual(skipped.map(({ error }) => error).sort(), [
    'the order was paid or cancelled since',
    'the time to pay has passed',
  ])
})

test('mail about an order is in its language, else in that of the customer, else in that of the store', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const { id } = await shop.load()
  const languageOf = async (order: string | null, customer: string | null, locale: string) => {
    await setStore(service, shop, { locale })
    await service.db.run`update customer set language = ${customer} where store_id = ${id}`
    const orderId = await placeOrder(service, shop, asha)
    await service.db.run`update orders set language = ${order} where store_id = ${id} and id = ${orderId}`
    await payOrder(service, shop, orderId)
    await runJobs()
    return lastMail(mails, 'order.paid').language
  }
  assert.equal(await languageOf('hi', 'en', 'en-IN'), 'hi')
  assert.equal(await languageOf(null, 'hi', 'en-IN'), 'hi')
  assert.equal(await languageOf(null, null, 'hi-IN'), 'hi')
})

test('mail goes through a real server that refuses it at first, and arrives once', async (t) => {
  const answers = [answerWith(451, '4.7.1 Greylisted, try again')]
  const server = await startMailServer(t, { encryption: 'starttls', onRecipient: () => answers.shift() ?? null })
  const mailSender = createSmtpSender(server.url, { ca: mailServerCertificate })
  const { service, shop, asha, runJobs, failures } = await openMailScene(t, { mailSender })
  await placeOrder(service, shop, asha)
  await runJobs()
  assert.equal(server.received.length, 0)
  assert.deepEqual(failures, ['mail: the mail server answered 451 to RCPT TO'])
  assert.match((await mailRows(service, shop))[0]?.error ?? '', /^451 4\.7\.1 Greylisted/)
  service.clock.advance(minutes(1) + seconds(1))
  await runJobs()
  const [mail] = server.received
  assert.equal(server.received.length, 1)
  assert.deepEqual(mail?.from, { name: 'Test shop', address: 'shop@localhost.localdomain' })
  assert.deepEqual(mail?.replyTo, [{ name: '', address: 'owner@shop.example' }])
  assert.match(mail?.text ?? '', /We have received your order/)
  assert.equal((await mailRows(service, shop))[0]?.state, 'sent')
})

test('a mail is tried at once, after 1, 5 and 30 minutes, 2 and 12 hours, and has then failed', async (t) => {
  const attempts: number[] = []
  const mailSender = senderWith(() => {
    attempts.push(0)
    return temporarily()
  })
  const { service, shop, asha, runJobs } = await openMailScene(t, { mailSender })
  // A cash order, which does not expire meanwhile.
  await placeOrder(service, shop, asha, { method: 'cod' })
  const delays = [minutes(1), minutes(5), minutes(30), hours(2), hours(12)]
  await runJobs()
  for (const [i, delay] of delays.entries()) {
    assert.equal(attempts.length, i + 1)
    service.clock.advance(delay - seconds(20))
    await runJobs()
    assert.equal(attempts.length, i + 1, 'not before its time')
    service.clock.advance(seconds(40))
    await runJobs()
  }
  assert.equal(attempts.length, 6)
  const [row] = await mailRows(service, shop)
  assert.deepEqual([row?.state, row?.error], ['failed', '451 4.7.1 Greylisted'])
  service.clock.advance(hours(100))
  await runJobs()
  assert.equal(attempts.length, 6)
})

test('a recipient that is refused for good has failed at once, with the words of the server', async (t) => {
  const { service, shop, asha, runJobs } = await openMailScene(t, { mailSender: senderWith(forGood) })
  await placeOrder(service, shop, asha)
  await runJobs()
  const [row] = await mailRows(service, shop)
  assert.deepEqual([row?.state, row?.attempts, row?.error], ['failed', 1, '550 5.1.1 No such user here'])
})

test('a message that the store has switched off, and mail without an address or a server, is skipped', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const store = await shop.load()
  await setStore(service, shop, { mailOff: ['order.placed'] })
  const orderId = await placeOrder(service, shop, asha)
  await payOrder(service, shop, orderId)
  const about = { language: null, data: { url: 'https://a.example', reason: 'gone' }, sealed: null }
  for (const recipient of ['', 'a@b.example, c@d.example', 'nobody']) {
    await service.db.tx((tx) => queueMail(tx, store, { message: 'webhook.disabled', recipient, ...about }))
  }
  await runJobs()
  assert.deepEqual(
    mails.map(({ name }) => name),
    ['order.paid'],
  )
  const skipped = (await mailRows(service, shop)).filter(({ state }) => state === 'skipped').map(({ error }) => error)
  assert.deepEqual(skipped, [
    'the store has switched this message off',
    'there is no address to send it to',
    'a@b.example, c@d.example is not an address that mail can be sent to',
    'nobody is not an address that mail can be sent to',
  ])
})

test('production without a mail server skips all mail', async (t) => {
  const { service, shop, asha, runJobs } = await openMailScene(t, { mailSender: null })
  await placeOrder(service, shop, asha)
  await runJobs()
  const [row] = await mailRows(service, shop)
  assert.deepEqual([row?.state, row?.error], ['skipped', 'there is no SMTP server; set VITRINE_SMTP_URL'])
})

test('instances that work at the same time send each mail once', async (t) => {
  const sent: OutgoingMail[] = []
  const mailSender = senderWith(async (mail) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (mail.name === 'order.placed') sent.push(mail)
    return null
  })
  const { service, shop, asha } = await openMailScene(t, { mailSender })
  for (let i = 0; i < 9; i++) await placeOrder(service, shop, asha)
  await Promise.all([1, 2, 3].map(() => newRunner(service).runDue()))
  assert.equal(sent.length, 9)
  assert.equal(new Set(sent.map(({ id }) => id)).size, 9)
})

test('a mail whose instance died is sent by another after a minute, with the same id', async (t) => {
  const { service, shop, asha, runJobs, mails } = await openMailScene(t)
  const { id: storeId } = await shop.load()
  await placeOrder(service, shop, asha)
  // The first instance claims it, sends it and dies.
  const [claimed] = await claimDueMail(service.db, storeId, 'order', 8)
  await runJobs()
  assert.equal(mails.length, 0)
  service.clock.advance(minutes(1) + seconds(1))
  await runJobs()
  assert.deepEqual(
    mails.map(({ id }) => id),
    [claimed?.id],
  )
})

test('a mail server that never answers holds up no other mail for longer than its limit', async (t) => {
  let isStuck = true
  const mailSender = senderWith((mail) => {
    if (mail.to === 'asha@example.com' && isStuck) return new Promise(() => {})
    return null
  })
  const { service, shop, asha } = await openMailScene(t, { mailSender })
  await placeOrder(service, shop, asha)
  const runner = newRunner(service, { limitMs: 50 })
  await runner.runDue()
  assert.deepEqual(runner.failures, ['mail: mail job took longer than 50 ms'])
  isStuck = false
  service.clock.advance(minutes(1) + seconds(1))
  await runner.runDue()
  assert.equal((await mailRows(service, shop))[0]?.state, 'sent')
})

test('codes and links do not wait for mail about orders, nor for each other', async (t) => {
  const sent: string[] = []
  const waiting: (() => void)[] = []
  let isBusy = true
  const mailSender = senderWith(async ({ name }) => {
    if (isBusy && ['order.placed', 'password.reset'].includes(name))
      await new Promise<void>((resolve) => waiting.push(resolve))
    sent.push(name)
    return null
  })
  const scene = await openMailScene(t, { mailSender, passwords: fastPasswords(), jobs: { everyMs: 20 } })
  const { service, shop, asha } = scene
  // More than there are slots for one store.
  for (let i = 0; i < 9; i++) await placeOrder(service, shop, asha)
  while (waiting.length < 4) await new Promise((resolve) => setImmediate(resolve))
  await signUp(service, shop)
  await forgot(service, shop)
  while (waiting.length < 5) await new Promise((resolve) => setImmediate(resolve))
  await post(service, shop, '/v1/auth/otp/request', { email })
  while (sent.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(sent.sort(), ['email.verify', 'otp.code'])
  isBusy = false
  for (const release of waiting) release()
})

test('what is logged about a refused mail does not name the recipient', async (t) => {
  const { shop, service, asha } = await openMailScene(t, { mailSender: senderWith(forGood), jobs: { everyMs: 20 } })
  await placeOrder(service, shop, asha)
  while ((await mailRows(service, shop))[0]?.state !== 'failed') await new Promise((resolve) => setImmediate(resolve))
  const linesOf = (what: string) => service.logLines.filter((line) => line.includes(`"msg":"${what}"`))
  while (linesOf('mail given up').length === 0) await new Promise((resolve) => setImmediate(resolve))
  const [failed, ...more] = linesOf('mail job failed').map((line) => JSON.parse(line))
  assert.deepEqual(more, [])
  const ids = { storeId: shop.storeId, message: 'order.placed' }
  assert.deepEqual(
    { storeId: failed.storeId, message: failed.message, attempt: failed.attempt },
    { ...ids, attempt: 1 },
  )
  const [given] = linesOf('mail given up').map((line) => JSON.parse(line))
  assert.deepEqual(
    { storeId: given.storeId, message: given.message, attempts: given.attempts },
    { ...ids, attempts: 1 },
  )
  for (const { mailId } of [failed, given]) assert.match(mailId, /^mail_\w+$/)
  assert.doesNotMatch(service.logLines.join(), /asha@example|No such user/)
  const metrics = await service.call('/metrics')
  assert.match(metrics.text, /^vitrine_mails_given_up_total 1$/m)
})

test('a mail is not sent twice because noting it failed at first', noTriggers, async (t) => {
  const { service, shop, asha, runJobs, mails, failures } = await openMailScene(t)
  await placeOrder(service, shop, asha)
  // A sequence counts on when its transaction fails.
  await service.db.run`create sequence refusals`
  await service.db.run`
    create function refuse_twice() returns trigger language plpgsql as $$
    begin if nextval('refusals') < 3 then raise exception 'no connection'; end if; return new; end $$`
  await service.db.run`
    create trigger refuse_twice before update on mail for each row when (new.state = 'sent')
    execute function refuse_twice()`
  await runJobs()
  assert.deepEqual([failures, mails.length], [[], 1])
  service.clock.advance(hours(1))
  await runJobs()
  const placed = mails.filter(({ name }) => name === 'order.placed')
  const [row] = await mailRows(service, shop)
  assert.deepEqual([placed.length, row?.state, row?.attempts], [1, 'sent', 1])
})

test('a mail that was sent but not noted has not failed', async (t) => {
  const { service, shop, asha } = await openMailScene(t)
  const { id } = await shop.load()
  await placeOrder(service, shop, asha)
  const [claimed] = await claimDueMail(service.db, id, 'order', 1)
  assert.ok(claimed)
  await postponeOrFail(service.app.services, { ...claimed, attempts: 6 }, new MailNotNoted('the database is gone'))
  const [row] = await mailRows(service, shop)
  assert.deepEqual([row?.state, row?.error], ['waiting', ''])
})
