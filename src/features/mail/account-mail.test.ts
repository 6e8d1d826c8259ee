import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { post } from '../accounts/fixture.ts'
import {
  codeMailedTo,
  email,
  fastPasswords,
  forgot,
  newPassword,
  reset,
  signIn,
  signUp,
  verifyByLink,
} from '../accounts/mail-fixture.ts'
import { mailSealContext, queueMail } from '../events/record.ts'
import { allowOrigin, removeOrigin } from '../stores/stores.ts'
import { lastMail, mailRows, openMailScene, senderWith, temporarily } from './fixture.ts'

const linkIn = (text: string, page: string) => {
  const [, origin, token] = new RegExp(`^(https?://\\S+)/${page}\\?token=(\\S+)$`, 'm').exec(text) ?? []
  assert.ok(origin && token, text)
  return { origin, token }
}

test('a shopper resets a forgotten password with the link in the mail, and an unknown address gets none', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t, { passwords: fastPasswords() })
  await signUp(service, shop)
  assert.equal((await forgot(service, shop)).status, 200)
  assert.equal((await forgot(service, shop, { email: 'nobody@example.com' })).status, 200)
  await runJobs()
  const mail = lastMail(mails, 'password.reset')
  assert.deepEqual([mail.to, mails.filter(({ name }) => name === 'password.reset').length], [email, 1])
  const { origin, token } = linkIn(mail.text, 'reset-password')
  assert.equal(origin, shop.domain)
  assert.ok(mail.html.includes(`${shop.domain}/reset-password?token=${token}`))
  assert.equal((await reset(service, shop, token)).status, 200)
  assert.equal((await signIn(service, shop, { password: newPassword })).status, 200)
  const unknown = (await mailRows(service, shop)).find(({ recipient }) => recipient === 'nobody@example.com')
  assert.deepEqual([unknown?.state, unknown?.error], ['skipped', 'there is no such account, or nothing to confirm'])
})

test('every link of a mail leads to the storefront that the shopper used, while the store allows it', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t, { passwords: fastPasswords() })
  const store = await shop.load()
  const [own, removed] = ['https://m.shop.example', 'https://old.shop.example']
  for (const origin of [own, removed]) await service.db.tx((tx) => allowOrigin(tx, store, origin))
  await signUp(service, shop)
  const hostsOf = async (storefrontUrl: string) => {
    assert.equal((await forgot(service, shop, { storefrontUrl })).status, 200)
    if (storefrontUrl === removed) await service.db.tx((tx) => removeOrigin(tx, store, removed))
    await runJobs()
    const { text, html } = lastMail(mails, 'password.reset')
    const links = [...`${text} ${html}`.matchAll(/https:\/\/[^/"\s<]+/g)].map(([link]) => link)
    return [...new Set(links)]
  }
  assert.deepEqual(await hostsOf(own), [own])
  assert.deepEqual(await hostsOf(removed), [shop.domain])
})

test('the link of the mail after sign-up confirms the address', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t, { passwords: fastPasswords() })
  await signUp(service, shop)
  await runJobs()
  const { token } = linkIn(lastMail(mails, 'email.verify', email).text, 'verify-email')
  assert.equal((await verifyByLink(service, shop, token)).json.emailVerified, true)
})

test('a code by mail is in the subject and the text, and no longer in the database afterwards', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t)
  const asked = await post(service, shop, '/v1/auth/otp/request', { email })
  assert.equal(asked.status, 200, asked.text)
  const code = await codeMailedTo(service, shop)
  await runJobs()
  const mail = lastMail(mails, 'otp.code')
  assert.equal(mail.code, code)
  for (const part of [mail.subject, mail.text, mail.html]) assert.ok(part.includes(code))
  const [row] = await mailRows(service, shop)
  assert.deepEqual([row?.state, row?.sealed], ['sent', null])
})

test('codes and links that have expired are not sent any more', async (t) => {
  let isDown = true
  const names: string[] = []
  const mailSender = senderWith(({ name }) => {
    if (isDown) return temporarily()
    names.push(name)
    return null
  })
  const { service, shop, runJobs } = await openMailScene(t, { mailSender, passwords: fastPasswords() })
  await signUp(service, shop)
  await forgot(service, shop)
  await post(service, shop, '/v1/auth/otp/request', { email })
  await runJobs()
  service.clock.advance(minutes(1) + seconds(1))
  await runJobs()
  isDown = false
  service.clock.advance(minutes(5) + seconds(1))
  await runJobs()
  assert.deepEqual(names.sort(), ['email.verify', 'password.reset'])
  const [code] = (await mailRows(service, shop)).filter(({ message }) => message === 'otp.code')
  assert.deepEqual([code?.state, code?.error, code?.sealed], ['skipped', 'it expired before it could be sent', null])
  isDown = true
  await forgot(service, shop)
  for (const wait of [0, minutes(1), minutes(5)]) {
    service.clock.advance(wait + seconds(1))
    await runJobs()
  }
  isDown = false
  service.clock.advance(minutes(31))
  await runJobs()
  assert.equal(names.length, 2)
})

test('a code that was encrypted with another secret, or for another recipient, is not sent', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t)
  const store = await shop.load()
  const { mailSeal } = service.app.services
  for (const sealed of [mailSeal.seal('123456', mailSealContext(store, 'other@example.com')), 'v1.nonsense', null]) {
    await service.db.tx((tx) =>
      queueMail(tx, store, { message: 'otp.code', recipient: email, language: null, data: {}, sealed }),
    )
  }
  await runJobs()
  assert.deepEqual(mails, [])
  assert.deepEqual(new Set((await mailRows(service, shop)).map(({ state }) => state)), new Set(['skipped']))
})

test('staff get a link to choose a password, for a day', async (t) => {
  const { service, shop, runJobs, mails } = await openMailScene(t)
  const store = await shop.load()
  const recipient = 'meera@shop.example'
  const sealed = service.app.services.mailSeal.seal('inv_1&2', mailSealContext(store, recipient))
  const about = { recipient, language: null, data: { name: 'Meera', invitedBy: 'Asha' }, sealed }
  for (const message of ['staff.invitation', 'staff.reset'] as const) {
    await service.db.tx((tx) => queueMail(tx, store, { message, ...about }))
  }
  await runJobs()
  for (const message of ['staff.invitation', 'staff.reset']) {
    const { text } = lastMail(mails, message, recipient)
    assert.match(text, /^http:\/\/vitrine\.test\/admin\/set-password\?token=inv_1%262$/m)
  }
  assert.match(lastMail(mails, 'staff.invitation').text, /Asha invites you to manage Test shop/)
  await service.db.tx((tx) => queueMail(tx, store, { message: 'staff.reset', ...about }))
  service.clock.advance(hours(25))
  await runJobs()
  assert.equal(mails.length, 2)
})
