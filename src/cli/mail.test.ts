import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { answerWith, startMailServer } from '../../test/doubles/mail-server.ts'
import { messageNames } from '../features/events/messages.ts'
import { assertSentence, newDatabase, newFolder, productionSettings, query, runJson, runVitrine } from './fixture.ts'

const openStore = async (t: TestContext) => {
  const settings = { DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) }
  const { storeId } = await runJson(
    [
      'store',
      'create',
      '--name',
      'Blue Door',
      '--domain',
      'bluedoor.example',
      '--currency',
      'INR',
      '--locale',
      'en-IN',
    ],
    settings,
  )
  return { settings, storeId, vitrine: (...args: string[]) => runJson(args, settings) }
}

const smtpSettings = (url: string) => ({ VITRINE_SMTP_URL: url, VITRINE_MAIL_FROM: 'shop@bluedoor.example' })

test('an operator previews every message in the language and colour of the store', async (t) => {
  const { vitrine, settings } = await openStore(t)
  await vitrine('store', 'set', '--brand-color', '#0A5C36')
  const folder = newFolder(t)
  for (const name of messageNames) {
    const made = await vitrine('mail', 'preview', name, '--out', join(folder, `${name}.html`))
    assert.deepEqual([made.message, made.language, made.text], [name, 'en', join(folder, `${name}.txt`)])
    assert.match(readFileSync(made.html, 'utf8'), /<html lang="en"/)
    assert.match(readFileSync(made.text, 'utf8'), /Blue Door/)
  }
  assert.match(readFileSync(join(folder, 'order.shipped.html'), 'utf8'), /#0a5c36/)
  const hindi = await vitrine('mail', 'preview', 'order.paid', '--language', 'hi', '--out', join(folder, 'new/hi.html'))
  assert.match(hindi.subject, /भुगतान/)
  await vitrine('store', 'set', '--locale', 'hi-IN')
  assert.equal((await vitrine('mail', 'preview', 'order.paid', '--out', join(folder, 'x.html'))).language, 'hi')
  const run = (...args: string[]) => runVitrine(['mail', 'preview', ...args], settings)
  assertSentence(await run('order.lost'), 'There is no message "order.lost"', 'order.placed')
  assertSentence(await run('order.paid', '--language', 'fr'), 'no texts in the language "fr"')
  assertSentence(await run('order.paid', '--out', join(folder, 'x.html/y.html')), 'cannot be written')
})

test('a test mail goes over the configured server, whose answer is printed', async (t) => {
  const { settings } = await openStore(t)
  const refusals = [null, answerWith(550, '5.1.1 No such user here')]
  const server = await startMailServer(t, { onRecipient: () => refusals.shift() ?? null })
  const withServer = { ...settings, ...smtpSettings(server.url) }
  const send = ['mail', 'send-test', '--to', 'me@bluedoor.example']
  const sent = await runJson(send, withServer)
  assert.deepEqual([sent.to, sent.message, sent.sender], ['me@bluedoor.example', 'order.placed', 'smtp'])
  assert.match(sent.answer, /^250 /)
  const [mail] = server.received
  assert.match(mail?.subject ?? '', /^\[Test\] Your order 1001 at Blue Door$/)
  assert.deepEqual([mail?.from?.name, mail?.from?.address], ['Blue Door', 'shop@bluedoor.example'])
  assertSentence(await runVitrine(send, withServer), '550 5.1.1 No such user here')
  assertSentence(await runVitrine([...send.slice(0, 3), 'a@b, c@d'], withServer), 'is not an email address')
  const nobody = { ...settings, ...smtpSettings('smtp://localhost:1') }
  const unreached = await runVitrine(send, nobody)
  assertSentence(unreached, /ECONNREFUSED|ESOCKET/)
  assert.doesNotMatch(unreached.stderr, /server says/)
})

test('without a mail server a test mail is a file in development, and production refuses to send or resend', async (t) => {
  const { settings } = await openStore(t)
  const send = ['mail', 'send-test', '--to', 'me@bluedoor.example', '--message', 'otp.code']
  await runJson(send, settings)
  const folder = join(settings.VITRINE_DATA_DIR, 'mail')
  assert.ok(existsSync(folder))
  assert.equal(readdirSync(folder).length, 1)
  const production = { ...settings, ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }
  for (const refused of [send, ['mail', 'resend', '1001', 'order.paid']])
    assertSentence(await runVitrine(refused, production), 'There is no mail server. Set VITRINE_SMTP_URL')
})

test('an operator lists the mail of a store, and sends one of an order again', async (t) => {
  const { vitrine, settings, storeId } = await openStore(t)
  assert.deepEqual(await vitrine('mail', 'list'), [])
  await query(
    settings.DATABASE_URL,
    `insert into mail (store_id, id, message, recipient, state, error, next_at, created_at, finished_at)
    select id, 'mail_1', 'order.paid', E'a@b.example\\n', 'failed', '550 unknown', now(), now(), now() from store`,
  )
  const [listed] = await vitrine('mail', 'list', '--store', storeId, '--state', 'failed')
  assert.deepEqual([listed.id, listed.state, listed.error], ['mail_1', 'failed', '550 unknown'])
  assert.deepEqual(await vitrine('mail', 'list', '--state', 'sent'), [])
  const shown = await runVitrine(['mail', 'list'], settings)
  assert.match(shown.stdout, /^mail_1 +order\.paid +a@b\.example\\n +failed/m)
  assertSentence(await runVitrine(['mail', 'list', '--state', 'lost'], settings), '--state must be one of')
  assertSentence(await runVitrine(['mail', 'resend', '1001', 'order.paid'], settings), 'There is no order 1001')
})

test('a store switches messages off and on, and has its own sender, colour and threshold', async (t) => {
  const { vitrine, settings } = await openStore(t)
  const off = ['--mail-off', 'order.shipped', '--mail-off', 'order.placed', '--mail-off', 'order.shipped']
  const own = ['--mail-sender-name', 'Blue', '--mail-reply-to', 'help@bluedoor.example', '--brand-color', '#0a5c36']
  const set = await vitrine('store', 'set', ...off, ...own, '--low-stock', '0')
  const mail = { senderName: 'Blue', replyTo: 'help@bluedoor.example', off: ['order.placed', 'order.shipped'] }
  assert.deepEqual([set.mail, set.brandColor, set.lowStock], [mail, '#0a5c36', 0])
  assert.deepEqual(await vitrine('store', 'show'), set)
  const on = await vitrine('store', 'set', '--mail-on', 'order.placed', '--mail-reply-to', '', '--brand-color', '')
  assert.deepEqual([on.mail.off, on.mail.replyTo, on.brandColor], [['order.shipped'], '', ''])
  const refused = (...args: string[]) => runVitrine(['store', 'set', ...args], settings)
  for (const name of ['otp.code', 'password.reset', 'email.verify']) {
    assertSentence(await refused('--mail-off', name), `${name} cannot be switched off`)
  }
  const { stdout } = await refused(
    '--brand-color',
    '#0a5c36',
    '--logo',
    'https://bluedoor.example/logo.svg',
    '--phone',
    '+912212345678',
  )
  for (const shown of [
    /^brand colour +#0a5c36$/m,
    /^logo +https:\/\/bluedoor\.example\/logo\.svg$/m,
    /^contact .*\+912212345678$/m,
  ]) {
    assert.match(stdout, shown)
  }
  assertSentence(await refused('--mail-off', 'order.lost'), 'There is no message "order.lost"')
  assertSentence(await refused('--mail-reply-to', 'a@b.example, c@d.example'), 'is not an email address')
  assertSentence(await refused('--brand-color', 'green'), '"green" is not a colour such as #0a5c36')
  assertSentence(await refused('--low-stock', '-1'), '--low-stock must be a whole number')
})

test('a store is shown with the ways to sign in that the settings allow', async (t) => {
  const { settings } = await openStore(t)
  const waysWith = async (more: Record<string, string>) =>
    (await runJson(['store', 'show'], { ...settings, ...productionSettings, VITRINE_SECRET: 's'.repeat(32), ...more }))
      .signIn
  assert.deepEqual(await waysWith({}), ['phone', 'password'])
  const smtp = smtpSettings('smtps://smtp.example')
  assert.deepEqual(await waysWith({ VITRINE_SMS_SENDER: '', ...smtp }), ['email', 'password'])
})

test('doctor says where mail goes, and that production without a server sends none', async (t) => {
  const { settings } = await openStore(t)
  const mailCheck = async (more: Record<string, string>) => {
    const { findings } = await runJson(['doctor'], { ...settings, ...more })
    return findings.find(({ check }: { check: string }) => check === 'mail')
  }
  assert.match((await mailCheck({})).detail, /^written to .*mail; VITRINE_SMTP_URL is not set$/)
  const smtp = smtpSettings('smtps://me:hunter2@smtp.example')
  assert.deepEqual(await mailCheck(smtp), {
    ...{ check: 'mail', state: 'ok', detail: 'sent by smtp.example from shop@bluedoor.example' },
  })
  const production = { ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }
  assert.equal((await mailCheck(production)).state, 'warning')
})
