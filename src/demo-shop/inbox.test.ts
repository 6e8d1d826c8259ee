import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { callUrl, newStore, startTestService, type TestService } from '../../test/harness.ts'
import { createFolderSender } from '../providers/mail/folder-sender.ts'
import type { OutgoingMail } from '../providers/mail/sender.ts'
import { openDemoShop } from './fixture.ts'
import { startShop } from './start-shop.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const mail: OutgoingMail = {
  id: 'mail_1',
  name: 'order.paid',
  from: { name: 'कव्या & Söhne', address: 'shop@kavya.example' },
  replyTo: null,
  to: 'asha@example.com',
  subject: 'Order 1001 – धन्यवाद',
  text: 'Thank you.\n',
  html: '<!doctype html><html><head><title>Paid</title></head><body><script>alert(1)</script><p>₹499</p></body></html>',
  language: 'en',
  date: new Date('2026-11-15T09:30:00.000Z'),
  code: null,
}

const openInbox = async (t: { after(undo: () => unknown): void }) => {
  const shop = await openDemoShop(service, t)
  const sender = createFolderSender(shop.mailFolder, () => {})
  return {
    ...shop,
    write: (change: Partial<OutgoingMail>) => sender.send({ ...mail, ...change }),
    list: async () => (await callUrl(`${shop.url}/dev/mail`)).json.mails,
  }
}

test('the inbox lists the newest 50 mails of the folder, the newest first', async (t) => {
  const { write, list, mailFolder } = await openInbox(t)
  assert.deepEqual(await list(), [])
  await write({})
  const [paid] = await list()
  assert.deepEqual(paid, {
    id: '2026-11-15T09-30-00-000Z-order.paid-mail_1',
    message: 'order.paid',
    subject: 'Order 1001 – धन्यवाद',
    from: 'कव्या & Söhne <shop@kavya.example>',
    to: 'asha@example.com',
    sentAt: '2026-11-15T09:30:00.000Z',
  })
  for (let i = 0; i < 50; i++) {
    await write({ id: `mail_later_${i}`, name: 'otp.code', date: new Date(mail.date.getTime() + (i + 1) * 1_000) })
  }
  writeFileSync(join(mailFolder, 'notes.txt'), 'not a mail')
  const listed = await list()
  assert.equal(listed.length, 50)
  assert.ok(listed[0].id.endsWith('mail_later_49'))
  assert.ok(listed[49].id.endsWith('mail_later_0'))
})

test('an inbox whose folder does not exist yet is empty', async (t) => {
  const { list, mailFolder } = await openInbox(t)
  assert.ok(!existsSync(mailFolder))
  assert.deepEqual(await list(), [])
  await createFolderSender(mailFolder, () => {}).send(mail)
  assert.equal((await list()).length, 1)
})

test('a mail is shown as text, and as HTML that runs no scripts and opens links in a new tab', async (t) => {
  const { write, list, url } = await openInbox(t)
  await write({})
  const [{ id }] = await list()
  const shown = await callUrl(`${url}/dev/mail/${id}`)
  assert.equal(shown.json.text.trim(), 'Thank you.')
  assert.equal(shown.json.html, undefined)
  const page = await callUrl(`${url}/dev/mail/${id}/html`)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(page.text, /<head><base target="_blank">.*₹499/s)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src/)
  assert.doesNotMatch(policy, /script|allow-same-origin/)
  assert.match(policy, /frame-ancestors 'self'/)
})

test('the inbox shows no other files', async (t) => {
  const { write, url, mailFolder } = await openInbox(t)
  await write({})
  writeFileSync(join(mailFolder, '..', 'outside.eml'), 'Subject: outside\r\n\r\n')
  for (const id of ['../outside', '..%2Foutside', '%2e%2e%2foutside', 'nothing', '%00']) {
    for (const path of [`/dev/mail/${id}`, `/dev/mail/${id}/html`]) {
      const { status, text } = await callUrl(`${url}${path}`)
      assert.equal(status, 404, path)
      assert.doesNotMatch(text, /Subject: outside/)
    }
  }
})

test('only this machine can read the inbox', async (t) => {
  const { write, list, server } = await openInbox(t)
  await write({})
  const [{ id }] = await list()
  const ask = async (url: string, remoteAddress: string, host: string) =>
    (await server.inject({ url, remoteAddress, headers: { host } })).statusCode
  for (const path of ['/dev/mail', `/dev/mail/${id}`, `/dev/mail/${id}/html`]) {
    assert.equal(await ask(path, '127.0.0.1', 'evil.example'), 403, path)
    assert.equal(await ask(path, '192.168.1.5', 'localhost'), 403, path)
    assert.equal(await ask(path, '::1', 'localhost:3001'), 200, path)
  }
})

test('a service that sends its mail by SMTP has no inbox', async (t) => {
  const store = await newStore(service)
  const shop = await startShop({
    config: { ...service.config, demoPort: 0, mail: { ...service.config.mail, smtpUrl: 'smtp://localhost' } },
    services: service.app.services,
    keys: { storeId: store.storeId, browserKey: store.key },
    codeFor: null,
    logger: service.logger,
  })
  assert.ok('url' in shop)
  t.after(shop.close)
  assert.match((await callUrl(shop.url)).text, /"showsMail":false/)
  const { status, headers } = await callUrl(`${shop.url}/dev/mail`)
  assert.equal(status, 404)
  assert.match(headers.get('content-type') ?? '', /text\/html/)
})
