import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { chooseSmsSender, type SmsSenderOptions, type SmsSettings } from './choose.ts'
import { answer, failureOf, logged, message, startVendor } from './fixture.ts'
import { SmsRefused, SmsUncertain } from './sender.ts'

/** The protocol of each vendor. Behaviour that all senders share is in vendor.test.ts. */
const twilio = { sender: 'twilio', accountSid: 'AC0123', authToken: 'twilio-token', from: '+15005550006' } as const
const msg91 = { sender: 'msg91', authKey: 'msg91-key', templateId: 'template-1' } as const
const http = { sender: 'http', secret: 'a secret that is shared with the service' } as const

const choose = (sms: SmsSettings, options: SmsSenderOptions = {}) =>
  chooseSmsSender({ production: true, sms }, { timeoutMs: 20_000, ...options })

test('outside production the one-time password is printed to the console', async () => {
  const lines: string[] = []
  const sender = chooseSmsSender(
    { production: false, sms: { sender: 'console' } },
    { print: (line) => lines.push(line) },
  )
  await sender.send({ ...message, code: '012345' })
  assert.equal(sender.name, 'console')
  assert.deepEqual(lines, ['OTP for +919876543210 is 012345'])
})

test('the console sender writes to standard output', async (t) => {
  const write = t.mock.method(process.stdout, 'write', () => true)
  await chooseSmsSender({ production: false, sms: { sender: 'console' } }).send(message)
  const lines = write.mock.calls.map(({ arguments: [text] }) => text)
  write.mock.restore()
  assert.ok(lines.includes('OTP for +919876543210 is 493817\n'))
})

test('production refuses the console sender', () => {
  assert.throws(() => chooseSmsSender({ production: true, sms: { sender: 'console' } }), /not allowed in production/)
})

test('Twilio gets a form with number, sender and text, and the credentials of the account', async (t) => {
  const vendor = await startVendor(t, answer(201, '{"sid":"SM1","status":"queued"}'))
  const sender = choose(twilio, { baseUrl: vendor.url })
  await sender.send(message)
  assert.equal(sender.name, 'twilio')
  const [{ method, path, headers, body } = assert.fail('no request was sent'), ...more] = vendor.seen
  assert.equal(more.length, 0)
  assert.equal(`${method} ${path}`, 'POST /2010-04-01/Accounts/AC0123/Messages.json')
  assert.equal(headers.authorization, `Basic ${Buffer.from('AC0123:twilio-token').toString('base64')}`)
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(body, 'To=%2B919876543210&From=%2B15005550006&Body=493817+is+your+code+for+Kavya+%26+Co.')
})

test('Twilio uses a messaging service if the setting names one', async (t) => {
  const vendor = await startVendor(t, answer(201, ''))
  const service = `MG${'0f'.repeat(16)}`
  await choose({ ...twilio, from: service }, { baseUrl: vendor.url }).send(message)
  await choose({ ...twilio, from: 'MGADDA' }, { baseUrl: vendor.url }).send(message)
  const [byService, byName] = vendor.seen.map(({ body }) => new URLSearchParams(body))
  assert.deepEqual([byService?.get('MessagingServiceSid'), byService?.get('From')], [service, null])
  assert.deepEqual([byName?.get('MessagingServiceSid'), byName?.get('From')], [null, 'MGADDA'])
})

test("a refusal by Twilio has its code and message, without the shopper's number", async (t) => {
  const words = "The 'To' number +91 98765 43210 (+919876543210, 919876543210) is not a valid phone number."
  const vendor = await startVendor(t, answer(400, JSON.stringify({ code: 21211, message: words, status: 400 })))
  const failure = await failureOf(choose(twilio, { baseUrl: vendor.url }))
  assert.ok(failure instanceof SmsRefused)
  assert.equal(failure.message, 'Twilio refused the message with 400.')
  assert.equal(
    (failure.cause as Error).message,
    "21211: The 'To' number [hidden] ([hidden], [hidden]) is not a valid phone number.",
  )
})

test('only a 201 of Twilio means accepted', async (t) => {
  const vendor = await startVendor(t, answer(200, '{"sid":"SM1"}'))
  assert.ok((await failureOf(choose(twilio, { baseUrl: vendor.url }))) instanceof SmsUncertain)
})

test('MSG91 gets the template, the number without its plus, and the one-time password', async (t) => {
  const vendor = await startVendor(t, answer(200, '{"type":"success","message":"3763646c"}'))
  const sender = choose(msg91, { baseUrl: vendor.url })
  await sender.send(message)
  assert.equal(sender.name, 'msg91')
  const [{ method, path, headers, body } = assert.fail('no request was sent'), ...more] = vendor.seen
  assert.equal(more.length, 0)
  assert.equal(`${method} ${path}`, 'POST /api/v5/flow')
  assert.equal(headers.authkey, 'msg91-key')
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers.authorization, undefined)
  assert.deepEqual(JSON.parse(body), {
    template_id: 'template-1',
    recipients: [{ mobiles: '919876543210', otp: '493817' }],
  })
})

test('an error that MSG91 reports with 200 is a refusal, with its message', async (t) => {
  const vendor = await startVendor(t, answer(200, '{"type":"error","message":"template is not approved","code":"211"}'))
  const failure = await failureOf(choose(msg91, { baseUrl: vendor.url }))
  assert.ok(failure instanceof SmsRefused)
  assert.equal((failure.cause as Error).message, '211: template is not approved')
})

test('an MSG91 response with neither success nor error is uncertain', async (t) => {
  for (const body of [
    '',
    'OK',
    '<html>busy</html>',
    '{}',
    '[]',
    'null',
    '"success"',
    '{"type":"queued"}',
    '{"type":',
  ]) {
    const vendor = await startVendor(t, answer(200, body))
    const failure = await failureOf(choose(msg91, { baseUrl: vendor.url }))
    assert.ok(failure instanceof SmsUncertain, `${body}: ${failure}`)
  }
})

test('the body of MSG91 does not turn an error status into a success', async (t) => {
  for (const [status, kind] of [
    [401, SmsRefused],
    [500, SmsUncertain],
  ] as const) {
    const vendor = await startVendor(t, answer(status, '{"type":"success"}'))
    assert.ok((await failureOf(choose(msg91, { baseUrl: vendor.url }))) instanceof kind, String(status))
  }
})

test("the operator's own service gets all fields, signed with a timestamp", async (t) => {
  const vendor = await startVendor(t, answer(204, ''))
  const url = `${vendor.url}/send?queue=otp`
  const sender = choose({ ...http, url }, { clock: { now: () => 1_800_000_000_999 } })
  await sender.send(message)
  assert.equal(sender.name, 'http')
  const [{ method, path, headers, body } = assert.fail('no request was sent'), ...more] = vendor.seen
  assert.equal(more.length, 0)
  assert.equal(`${method} ${path}`, 'POST /send?queue=otp')
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(body), {
    phone: '+919876543210',
    code: '493817',
    text: '493817 is your code for Kavya & Co.',
    store: 'Kavya & Co.',
  })
  assert.equal(headers['x-vitrine-timestamp'], '1800000000')
  const signature = createHmac('sha256', http.secret).update(`1800000000.${body}`).digest('hex')
  assert.equal(headers['x-vitrine-signature'], signature)
})

test('the signature covers non-ASCII text as it is sent', async (t) => {
  const vendor = await startVendor(t, answer(200, ''))
  await choose({ ...http, url: vendor.url }).send({ ...message, storeName: 'कव्या & Söhne' })
  const [{ headers, body } = assert.fail('no request was sent')] = vendor.seen
  assert.equal(JSON.parse(body).store, 'कव्या & Söhne')
  const time = headers['x-vitrine-timestamp']
  assert.equal(
    headers['x-vitrine-signature'],
    createHmac('sha256', http.secret).update(`${time}.${body}`).digest('hex'),
  )
})

test('errors and logs contain no secrets, even if the vendor repeats its whole request', async (t) => {
  for (const status of [200, 400, 401, 422, 500]) {
    const repeated = `No: twilio-token ${Buffer.from('AC0123:twilio-token').toString('base64')} msg91-key ${http.secret} ${message.text} 493817 9876543210 +91-98765-43210`
    const vendor = await startVendor(t, answer(status, JSON.stringify({ type: 'error', code: 1, message: repeated })))
    for (const sms of [twilio, msg91, { ...http, url: `${vendor.url}/?token=hush` }] as SmsSettings[]) {
      if (sms.sender === 'http' && status === 200) continue
      const line = logged(await failureOf(choose(sms, { baseUrl: vendor.url })))
      const secrets = {
        twilio: /twilio-token|QUMwMTIzO/,
        msg91: /msg91-key/,
        http: /a secret that|hush/,
        console: /x/,
        none: /x/,
      }
      assert.doesNotMatch(line, secrets[sms.sender])
      assert.doesNotMatch(line, /493817|9876543210|98765-43210/)
      assert.match(line, /SmsRefused|SmsUncertain/)
    }
  }
})
