import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, newStore, serviceFor, startWindow } from '../../../test/harness.ts'
import { hours } from '../../core/clock.ts'
import { SmsRefused, type SmsSender, SmsUncertain } from '../../providers/sms/sender.ts'
import { newCode, phone, requestCode, verifyCode } from './fixture.ts'

/** A sender whose behaviour the test can switch. */
const aSender = () => {
  const sender = { name: 'fake', send: async () => {} } as SmsSender
  const refuse = async () => {
    throw new SmsRefused('The vendor said no.')
  }
  const leaveOpen = async () => {
    throw new SmsUncertain('No answer in time.')
  }
  return { sender, refuse, leaveOpen }
}

test('a message refused by the provider is 502, does not count, and leaves no code', async (t) => {
  const { sender, refuse } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  sender.send = refuse
  for (let i = 0; i < 7; i++) assertError(await requestCode(service, shop), 502, 'BAD_GATEWAY')
  assertError(await verifyCode(service, shop, service.codeFor(phone)), 410, 'GONE')
  sender.send = async () => {}
  for (let i = 0; i < 5; i++) await newCode(service, shop)
  assertError(await requestCode(service, shop), 429, 'RATE_LIMITED')
})

test('a refused message is uncounted without affecting others', async (t) => {
  const { sender, refuse } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  for (let i = 0; i < 3; i++) await newCode(service, shop)
  sender.send = refuse
  assertError(await requestCode(service, shop), 502, 'BAD_GATEWAY')
  sender.send = async () => {}
  for (let i = 0; i < 2; i++) await newCode(service, shop)
  assertError(await requestCode(service, shop), 429, 'RATE_LIMITED')
})

test('a late refusal does not invalidate a newer code', async (t) => {
  const { sender } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  const taken = Promise.withResolvers<void>()
  const verdict = Promise.withResolvers<void>()
  sender.send = () => {
    taken.resolve()
    return verdict.promise
  }
  const slow = requestCode(service, shop)
  await taken.promise
  sender.send = async () => {}
  const second = await newCode(service, shop)
  verdict.reject(new SmsRefused('Refused after all.'))
  assertError(await slow, 502, 'BAD_GATEWAY')
  assert.equal((await verifyCode(service, shop, second)).status, 200)
})

test('a refused message does not count for the cap of the store either', async (t) => {
  const { sender, refuse } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  const { id } = await shop.load()
  startWindow(service, hours(1))
  await service.db.run`update store set otp_hourly_cap = 1 where id = ${id}`
  sender.send = refuse
  for (let i = 0; i < 3; i++) assertError(await requestCode(service, shop), 502, 'BAD_GATEWAY')
  sender.send = async () => {}
  await newCode(service, shop)
  assertError(await requestCode(service, shop, '+919876500000'), 429, 'RATE_LIMITED')
})

test('a message that may have been sent is 502 and counts, and its code is valid', async (t) => {
  const { sender, leaveOpen } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  sender.send = leaveOpen
  for (let i = 0; i < 5; i++) assertError(await requestCode(service, shop), 502, 'BAD_GATEWAY')
  assertError(await requestCode(service, shop), 429, 'RATE_LIMITED')
  assert.equal(service.messages.length, 5)
  assert.equal((await verifyCode(service, shop, service.codeFor(phone))).status, 200)
})

test('an unexpected error of the sender is treated like a message that may have been sent', async (t) => {
  const { sender } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  sender.send = async () => {
    throw new TypeError('a fault in the sender')
  }
  assertError(await requestCode(service, shop), 502, 'BAD_GATEWAY')
  assert.equal((await verifyCode(service, shop, service.codeFor(phone))).status, 200)
})

test('the message is sent after the commit: a code can be used while it is being sent', async (t) => {
  const { sender } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  const during: number[] = []
  sender.send = async ({ code }) => {
    during.push((await verifyCode(service, shop, code)).status)
  }
  assert.equal((await requestCode(service, shop)).status, 200)
  assert.deepEqual(during, [200])
})

test('the log has the reason why a message was not sent, without the code or the phone number', async (t) => {
  const { sender, refuse, leaveOpen } = aSender()
  const service = await serviceFor(t, { sender })
  const shop = await newStore(service)
  sender.send = refuse
  await requestCode(service, shop)
  const refused = service.codeFor(phone)
  sender.send = leaveOpen
  await requestCode(service, shop)
  const log = service.logLines.join('')
  assert.match(log, /SmsRefused/)
  assert.match(log, /No answer in time/)
  assert.doesNotMatch(log, new RegExp(`${phone.slice(1)}|\\b${refused}\\b|\\b${service.codeFor(phone)}\\b`))
})
