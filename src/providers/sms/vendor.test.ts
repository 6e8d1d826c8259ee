import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chooseSmsSender, type SmsSettings } from './choose.ts'
import {
  answer,
  cutOff,
  endless,
  failureOf,
  hangUp,
  logged,
  message,
  type Reply,
  saysNothing,
  startVendor,
} from './fixture.ts'
import { SmsRefused, SmsUncertain } from './sender.ts'
import { explainLost } from './vendor.ts'

/** Network behaviour that all senders share. A refusal must be certain, since the request is then not counted. */
const senders = ['twilio', 'msg91', 'http'] as const
type Name = (typeof senders)[number]

const settingsOf = (name: Name, url: string): SmsSettings =>
  ({
    twilio: { sender: 'twilio', accountSid: 'AC0123', authToken: 'hush-hush', from: '+15005550006' } as const,
    msg91: { sender: 'msg91', authKey: 'hush-hush', templateId: 'template-1' } as const,
    http: { sender: 'http', url: `${url}/?key=hush-hush`, secret: 'hush-hush '.repeat(4) } as const,
  })[name]

const senderFor = (name: Name, baseUrl: string, timeoutMs = 20_000) =>
  chooseSmsSender({ production: true, sms: settingsOf(name, baseUrl) }, { baseUrl, timeoutMs })

/** Sends once with each sender, and checks the error and its log line. */
const assertFails = async (t: TestContext, reply: Reply, kind: typeof SmsRefused, timeoutMs?: number) => {
  for (const name of senders) {
    const vendor = await startVendor(t, reply)
    const failure = await failureOf(senderFor(name, vendor.url, timeoutMs))
    assertKind(failure, kind, name)
    assert.equal(vendor.seen.length, 1, `${name} sent ${vendor.seen.length} times`)
    await vendor.close()
  }
}

const assertKind = (failure: Error, kind: typeof SmsRefused, name: string) => {
  assert.ok(failure instanceof kind, `${name}: ${failure.stack}`)
  assert.doesNotMatch(logged(failure), /hush-hush|493817|9876543210/)
}

test('a 4xx is a refusal, whatever its body is', async (t) => {
  for (const status of [400, 401, 403, 404, 408, 429, 499]) await assertFails(t, answer(status, 'no'), SmsRefused)
  await assertFails(t, answer(400, '{"message": {"deep": true}, "code": null}'), SmsRefused)
  await assertFails(t, cutOff(400, '{"message":"not like this"}'), SmsRefused)
  await assertFails(t, endless(400), SmsRefused)
})

test('a 5xx is uncertain', async (t) => {
  for (const status of [500, 502, 503, 504, 599]) await assertFails(t, answer(status, '{"type":"error"}'), SmsUncertain)
})

test('a redirect is not followed and is uncertain', async (t) => {
  const elsewhere = await startVendor(t, answer(201, '{"type":"success"}'))
  for (const status of [301, 302, 303, 307, 308]) {
    await assertFails(t, answer(status, '', { location: elsewhere.url }), SmsUncertain)
  }
  assert.equal(elsewhere.seen.length, 0)
})

test('a timeout is uncertain', (t) => assertFails(t, saysNothing, SmsUncertain, 200))

test('the default timeout is ten seconds', async (t) => {
  const limit = t.mock.method(AbortSignal, 'timeout')
  const vendor = await startVendor(t, answer(201, ''))
  const sms = settingsOf('twilio', vendor.url)
  await chooseSmsSender({ production: true, sms }, { baseUrl: vendor.url }).send(message)
  assert.deepEqual(
    limit.mock.calls.map(({ arguments: [ms] }) => ms),
    [10_000],
  )
})

test('a connection lost after the request is uncertain', (t) => assertFails(t, hangUp, SmsUncertain))

test('a response that is not HTTP is uncertain', (t) =>
  assertFails(t, (response) => response.socket?.end('SMTP ready\r\n\r\n'), SmsUncertain))

test('a closed port is a refusal, by address and by name', async (t) => {
  const vendor = await startVendor(t, saysNothing)
  await vendor.close()
  for (const name of senders) {
    for (const url of [vendor.url, vendor.url.replace('127.0.0.1', 'localhost')]) {
      assertKind(await failureOf(senderFor(name, url)), SmsRefused, name)
    }
  }
})

test('an unknown host is a refusal', async () => {
  for (const name of senders) {
    assertKind(await failureOf(senderFor(name, 'http://no-such-host.invalid')), SmsRefused, name)
  }
})

test('an incomplete or endless body is accepted where the status decides', async (t) => {
  for (const reply of [cutOff(201, '{"sid":"SM1","status":"queued"}'), endless(201)]) {
    for (const name of ['twilio', 'http'] as const) {
      const vendor = await startVendor(t, reply)
      await senderFor(name, vendor.url).send(message)
      await vendor.close()
    }
  }
})

test('an incomplete or endless body is uncertain where the body decides', async (t) => {
  for (const reply of [cutOff(200, '{"type":"success","message":"3763646c"}'), endless(200)]) {
    const vendor = await startVendor(t, reply)
    assertKind(await failureOf(senderFor('msg91', vendor.url)), SmsUncertain, 'msg91')
    await vendor.close()
  }
})

/** Errors that cannot be produced on one machine. */
const networkError = (fields: { code: string; syscall?: string }) => Object.assign(new Error(fields.code), fields)

test('an error before the request is sent is a refusal, and a later one is uncertain', () => {
  const failures: [Error, typeof SmsRefused][] = [
    [networkError({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }), SmsRefused],
    [networkError({ code: 'EHOSTUNREACH', syscall: 'connect' }), SmsRefused],
    [networkError({ code: 'ETIMEDOUT', syscall: 'connect' }), SmsRefused],
    [networkError({ code: 'CERT_HAS_EXPIRED' }), SmsRefused],
    [networkError({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), SmsRefused],
    [networkError({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), SmsRefused],
    [networkError({ code: 'ECONNRESET', syscall: 'read' }), SmsUncertain],
    [networkError({ code: 'EPIPE', syscall: 'write' }), SmsUncertain],
    [networkError({ code: 'ETIMEDOUT', syscall: 'read' }), SmsUncertain],
    [networkError({ code: 'HPE_INVALID_CONSTANT' }), SmsUncertain],
    [new AggregateError([]), SmsUncertain],
  ]
  for (const [error, kind] of failures) assertKind(explainLost('Twilio', error), kind, String(error))
})

test('with several addresses it is a refusal only if none could be connected to', () => {
  const refused = networkError({ code: 'ECONNREFUSED', syscall: 'connect' })
  const lost = networkError({ code: 'ECONNRESET', syscall: 'read' })
  assertKind(explainLost('Twilio', new AggregateError([refused, refused])), SmsRefused, 'none')
  assertKind(explainLost('Twilio', new AggregateError([refused, lost])), SmsUncertain, 'one')
})

test('a key that is not a valid header value is a refusal that does not quote it', async (t) => {
  const vendor = await startVendor(t, answer(200, '{"type":"success"}'))
  const sms = { sender: 'msg91', authKey: 'hush-hush\nx: y', templateId: 'template-1' } as const
  assertKind(await failureOf(chooseSmsSender({ production: true, sms }, { baseUrl: vendor.url })), SmsRefused, 'msg91')
  assert.equal(vendor.seen.length, 0)
})
