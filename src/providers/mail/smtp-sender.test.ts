import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import {
  answerWith,
  type MailServerOptions,
  mailServerCertificate,
  startMailServer,
  startTalker,
} from '../../../test/doubles/mail-server.ts'
import { chooseMailSender } from './choose.ts'
import { createFolderSender } from './folder-sender.ts'
import { MailFailed, MailRefused, type OutgoingMail } from './sender.ts'
import { createSmtpSender, type SmtpOptions } from './smtp-sender.ts'

const mail: OutgoingMail = {
  id: 'mail_01k8x0v3m7q2w9c4t6y8za',
  name: 'order.paid',
  from: { name: 'Blue Door', address: 'shop@blue.example' },
  replyTo: 'help@blue.example',
  to: 'asha@example.com',
  subject: 'Order 1001 is paid',
  text: 'Thank you.\n',
  html: '<p>Thank you.</p>',
  language: 'en',
  date: new Date('2026-11-15T09:30:00.000Z'),
  code: null,
}

const newSender = (t: TestContext, url: string, options: SmtpOptions = {}) => {
  const sender = createSmtpSender(url, { ca: mailServerCertificate, ...options })
  t.after(() => sender.close())
  return sender
}

const open = async (t: TestContext, options: MailServerOptions = {}, smtp: SmtpOptions = {}) => {
  const server = await startMailServer(t, options)
  return { server, sender: newSender(t, server.url, smtp) }
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

const failureOf = async (sending: Promise<unknown>): Promise<MailFailed> => {
  const error = await sending.then(
    () => assert.fail('the mail was sent'),
    (thrown) => thrown,
  )
  assert.ok(error instanceof MailFailed, error.stack)
  return error
}

test('a mail arrives with its headers, and the same Message-ID when it is sent again', async (t) => {
  const { server, sender } = await open(t)
  const { answer } = await sender.send(mail)
  assert.match(answer, /^250 /)
  await sender.send(mail)
  const [first, second] = server.received
  assert.ok(first && second)
  assert.deepEqual(first.envelope, { from: 'shop@blue.example', to: ['asha@example.com'] })
  assert.deepEqual(first.from, { name: 'Blue Door', address: 'shop@blue.example' })
  assert.deepEqual(first.replyTo, [{ name: '', address: 'help@blue.example' }])
  assert.equal(first.subject, 'Order 1001 is paid')
  assert.equal(first.text?.trim(), 'Thank you.')
  assert.equal(first.html?.trim(), '<p>Thank you.</p>')
  assert.equal(first.date, '2026-11-15T09:30:00.000Z')
  assert.equal(first.messageId, '<mail_01k8x0v3m7q2w9c4t6y8za@blue.example>')
  assert.equal(second.messageId, first.messageId)
  const headers = Object.fromEntries(first.headers.map(({ key, value }) => [key, value]))
  assert.equal(headers['x-vitrine-message'], 'order.paid')
  assert.equal(headers['auto-submitted'], 'auto-generated')
  assert.equal(headers['content-language'], 'en')
})

test('mail to this machine is encrypted by TLS with smtps, and by STARTTLS where a password is sent', async (t) => {
  const login = { user: 'me', password: 'secret' }
  for (const [encryption, more, isEncrypted] of [
    ['starttls', { login }, true],
    ['starttls', {}, false],
    ['tls', {}, true],
    ['none', {}, false],
  ] as const) {
    const { server, sender } = await open(t, { encryption, ...more })
    await sender.send(mail)
    assert.equal(server.received[0]?.isEncrypted, isEncrypted, encryption)
  }
})

test('a server whose certificate cannot be verified gets no mail and no password', async (t) => {
  const login = { user: 'me', password: 'secret' }
  for (const encryption of ['starttls', 'tls'] as const) {
    const server = await startMailServer(t, { encryption, login })
    const sender = createSmtpSender(server.url)
    t.after(() => sender.close())
    const error = await failureOf(sender.send(mail))
    assert.ok(!(error instanceof MailRefused))
    assert.match(error.answer, /self-signed certificate/)
    assert.equal(server.received.length, 0)
  }
})

test('mail and passwords are sent without encryption to this machine only', async (t) => {
  for (const login of [{ user: 'me', password: 'secret' }, undefined]) {
    const { server, sender } = await open(t, login === undefined ? {} : { login })
    await sender.send(mail)
    assert.equal(server.received[0]?.user, login?.user ?? '')
    // Another name of this machine, which the sender cannot know.
    const distant = newSender(t, server.url.replace('localhost', '0.0.0.0'))
    assert.match((await failureOf(distant.send(mail))).message, /TLS/)
    assert.equal(server.received.length, 1)
  }
})

test('the sender signs in with the user and password of the URL, whatever characters they have', async (t) => {
  const login = { user: 'me@blue.example', password: 'p:/ä @%' }
  const { server, sender } = await open(t, { encryption: 'starttls', login })
  await sender.send(mail)
  assert.equal(server.received[0]?.user, login.user)
})

test('a wrong password can be repaired, so the mail is not refused for good', async (t) => {
  const server = await startMailServer(t, { encryption: 'starttls', login: { user: 'me', password: 'right' } })
  const error = await failureOf(newSender(t, server.url.replace('right', 'wrong')).send(mail))
  assert.ok(!(error instanceof MailRefused))
  assert.match(error.answer, /^535 /)
  assert.doesNotMatch(`${error.message} ${error.answer}`, /wrong/)
})

test('a recipient that is refused with 5xx is refused for good, with the words of the server', async (t) => {
  const { sender } = await open(t, { onRecipient: () => answerWith(550, '5.1.1 <asha@example.com> is unknown here') })
  const error = await failureOf(sender.send(mail))
  assert.ok(error instanceof MailRefused)
  assert.equal(error.answer, '550 5.1.1 <asha@example.com> is unknown here')
  // The log shows the message.
  assert.equal(error.message, 'the mail server refused a recipient (550)')
})

test('a mail that is refused with 5xx after its text is refused for good', async (t) => {
  const { sender } = await open(t, { onMail: () => answerWith(554, '5.7.1 Looks like spam') })
  const error = await failureOf(sender.send(mail))
  assert.ok(error instanceof MailRefused)
  assert.match(error.answer, /^554 /)
})

test('a refusal with 4xx, and one of the sender, are not for good; the connection serves the next mail', async (t) => {
  const refusals = [answerWith(451, '4.7.1 Greylisted'), null, null]
  const senders = [null, answerWith(550, '5.7.1 Sender not allowed'), null]
  const { server, sender } = await open(
    t,
    { onRecipient: () => refusals.shift() ?? null, onSender: () => senders.shift() ?? null },
    { connections: 1 },
  )
  for (const code of [451, 550]) {
    const error = await failureOf(sender.send(mail))
    assert.ok(!(error instanceof MailRefused), error.message)
    assert.match(error.answer, new RegExp(`^${code} `))
  }
  await sender.send(mail)
  assert.equal(server.received.length, 1)
})

test('a connection that is lost after DATA fails, and the mail may be repeated', async (t) => {
  let isLost = true
  const { server, sender } = await open(t, { hangsUpAfterData: () => isLost })
  const error = await failureOf(sender.send(mail))
  assert.ok(!(error instanceof MailRefused))
  isLost = false
  await sender.send(mail)
  assert.equal(new Set(server.received.map(({ messageId }) => messageId)).size, 1)
})

test('a server that hangs before its greeting or in the middle ends with a failure', async (t) => {
  const silent = await startTalker(t, () => {})
  assert.match((await failureOf(newSender(t, silent.url, { connectMs: 100 }).send(mail))).message, /ETIMEDOUT/)
  const half = await startTalker(t, (socket) => socket.write('220 here\r\n'))
  assert.match((await failureOf(newSender(t, half.url, { silenceMs: 100 }).send(mail))).message, /ETIMEDOUT/)
  const closed = await startTalker(t, (socket) => socket.end('421 no service\r\n'))
  assert.ok(!((await failureOf(newSender(t, closed.url).send(mail))) instanceof MailRefused))
})

test('an abort ends a mail to a server that answers a byte at a time, and the next mail gets a new connection', async (t) => {
  const slow = await startTalker(t, (socket) => {
    socket.write('220')
    const timer = setInterval(() => socket.write('-'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  const sender = newSender(t, slow.url)
  for (let i = 0; i < 2; i++) {
    const ending = new AbortController()
    const failing = failureOf(sender.send(mail, ending.signal))
    while (slow.connections() === 0) await tick()
    ending.abort()
    await failing
    while (slow.connections() > 0) await tick()
  }
})

test('an abort ends a mail over an encrypted connection that has stalled', async (t) => {
  for (const encryption of ['starttls', 'tls'] as const) {
    const ending = new AbortController()
    const { sender } = await open(t, { encryption, stalls: () => ending.abort() })
    await failureOf(sender.send(mail, ending.signal))
  }
})

/** Two mails at a server that answers the second when `answer` is called, and the first never. */
const sendTwo = async (t: TestContext, smtp: SmtpOptions = {}) => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const never = new Promise<void>(() => {})
  const waits = ({ envelope }: { envelope: { to: string[] } }) =>
    envelope.to.includes('slow@example.com') ? never : answered
  const { server, sender } = await open(t, { waits }, smtp)
  const ending = new AbortController()
  const slow = failureOf(sender.send({ ...mail, to: 'slow@example.com' }, ending.signal))
  while (server.received.length < 1) await tick()
  return { server, sender, slow, abort: () => ending.abort(), answer }
}

test('an abort fails no other mail that is being sent', async (t) => {
  const { server, sender, slow, abort, answer } = await sendTwo(t)
  const other = sender.send(mail)
  while (server.received.length < 2) await tick()
  abort()
  await slow
  answer()
  assert.match((await other).answer, /^250 /)
})

test('a mail that waits for a connection gets one after an abort, and can be aborted itself', async (t) => {
  const { server, sender, slow, abort, answer } = await sendTwo(t, { connections: 1 })
  const ending = new AbortController()
  const impatient = assert.rejects(sender.send(mail, ending.signal), { name: 'AbortError' })
  const patient = sender.send(mail)
  ending.abort()
  await impatient
  assert.equal(server.received.length, 1)
  abort()
  await slow
  answer()
  assert.match((await patient).answer, /^250 /)
  assert.equal(server.received.length, 2)
})

test('an unreachable server fails without being refused for good', async (t) => {
  const server = await startTalker(t, () => {})
  const closed = server.url.replace(String(server.port), '1')
  assert.ok(!((await failureOf(newSender(t, closed).send(mail))) instanceof MailRefused))
})

const evilTexts = [
  'A\r\nBcc: eve@example.com',
  'A\nX-Evil: 1',
  'A\u2028B\u0000C',
  '"quoted", <eve@example.com>',
  'कव्या & Söhne 🏺',
  '=?utf-8?q?encoded?=',
  '<script>alert(1)</script>',
  'x'.repeat(5_000),
  `${'a'.repeat(70)}\r\n\r\n<p>body</p>`,
]

test('names and subjects cannot add headers or recipients', async (t) => {
  const { server, sender } = await open(t)
  for (const text of evilTexts) {
    await sender.send({ ...mail, from: { ...mail.from, name: text }, subject: text })
    const seen = server.received.at(-1)
    assert.ok(seen)
    assert.deepEqual(seen.envelope.to, ['asha@example.com'])
    assert.deepEqual(seen.to, [{ name: '', address: 'asha@example.com' }])
    assert.equal(seen.from?.address, 'shop@blue.example')
    const keys = seen.headers.map(({ key }) => key)
    assert.deepEqual(
      keys.filter((key) => ['bcc', 'x-evil'].includes(key)),
      [],
    )
    assert.equal(new Set(keys).size, keys.length, 'no header twice')
    assert.equal(seen.html?.trim(), '<p>Thank you.</p>')
    if (text.includes('कव्या') || text.includes('quoted'))
      assert.deepEqual([seen.subject, seen.from?.name], [text, text])
  }
})

test('the folder of development has each mail as a file, and codes are printed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-mail-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const lines: string[] = []
  const sender = createFolderSender(join(folder, 'mail'), (line) => lines.push(line))
  await sender.send(mail)
  await sender.send({ ...mail, id: 'mail_2', name: 'otp.code', to: 'kavya@kavya.example', code: '123456' })
  assert.deepEqual(lines, ['OTP for kavya@kavya.example is 123456'])
  const files = readdirSync(join(folder, 'mail')).sort()
  assert.equal(files.length, 2)
  assert.match(files[1] ?? '', /^2026-11-15T09-30-00-000Z-otp\.code-mail_2\.eml$/)
  const parsed = await PostalMime.parse(readFileSync(join(folder, 'mail', files[0] ?? '')))
  assert.deepEqual([parsed.subject, parsed.messageId], [mail.subject, `<${mail.id}@blue.example>`])
})

test('production without an SMTP server has no sender', () => {
  const mailOf = (smtpUrl: string | null) => ({ dataDir: '/nowhere', mail: { smtpUrl } })
  assert.equal(chooseMailSender({ production: true, ...mailOf(null) }), null)
  assert.equal(chooseMailSender({ production: false, ...mailOf(null) })?.name, 'folder')
  assert.equal(chooseMailSender({ production: true, ...mailOf('smtp://localhost') })?.name, 'smtp')
})
