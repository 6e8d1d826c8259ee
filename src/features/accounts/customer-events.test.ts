import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Value } from 'typebox/value'
import { newStore, startTestService, type TestService, type TestStore } from '../../../test/harness.ts'
import { type StoredCustomer, showCustomerEvent } from './customer-events.ts'
import { post } from './fixture.ts'
import {
  codeMailedTo,
  email,
  fastPasswords,
  newPassword,
  newResetLink,
  newVerifyLink,
  password,
  reset,
  signUp,
  verifyByLink,
  withSession,
} from './mail-fixture.ts'
import { CustomerProfile } from './sign-in.contract.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: fastPasswords() })
})
after(() => service.close())

const readEvents = async (shop: TestStore) => {
  const { id } = await shop.load()
  const events = await service.db.many<{ type: string; sequence: number; data: StoredCustomer }>`
    select type, sequence, data from event where store_id = ${id} and type like 'customer.%' order by id, sequence`
  return events.map(({ type, sequence, data }) => ({ told: `${type} ${sequence}`, shown: showCustomerEvent(data) }))
}

const toldOf = async (shop: TestStore) => (await readEvents(shop)).map(({ told }) => told)

test('a customer who signs up, changes their data and confirms the address has an event for each', async () => {
  const shop = await newStore(service)
  const { token, user } = (await signUp(service, shop)).json
  const asha = withSession(service, shop, token)
  await asha.change({ name: 'Asha Rao' })
  await asha.change({ name: 'Asha Rao' })
  await verifyByLink(service, shop, await newVerifyLink(service, shop, user.id))
  await asha.setPassword({ currentPassword: password, newPassword })
  await reset(service, shop, await newResetLink(service, shop))
  const events = await readEvents(shop)
  assert.deepEqual(
    events.map(({ told }) => told),
    ['customer.created 1', 'customer.updated 2', 'customer.updated 3', 'customer.updated 4'],
  )
  assert.deepEqual(events[0]?.shown, user)
  assert.deepEqual(
    events.map(({ shown }) => [shown.name, shown.emailVerified]),
    [
      ['Asha', false],
      ['Asha Rao', false],
      ['Asha Rao', true],
      ['Asha Rao', true],
    ],
  )
  for (const { shown } of events) assert.ok(Value.Check(CustomerProfile, shown))
})

test('the first sign-in by a code creates the customer once, also when two codes are used at once', async () => {
  const shop = await newStore(service)
  const request = async () => {
    const { requestToken } = (await post(service, shop, '/v1/auth/otp/request', { email })).json
    return { requestToken, otp: await codeMailedTo(service, shop) }
  }
  const codes = [await request(), await request()]
  const answers = await Promise.all(codes.map((code) => post(service, shop, '/v1/auth/otp/verify', { email, ...code })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(await toldOf(shop), ['customer.created 1'])
})

test('a code that proves the address of an account is told, and a sign-in is not', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  for (const _ of [1, 2]) {
    await post(service, shop, '/v1/auth/otp/request', { email })
    const otp = await codeMailedTo(service, shop)
    assert.equal((await post(service, shop, '/v1/auth/otp/verify', { email, otp })).status, 200)
  }
  assert.deepEqual(await toldOf(shop), ['customer.created 1', 'customer.updated 2'])
})

test('a change that is refused leaves no event', async () => {
  const shop = await newStore(service)
  await signUp(service, shop)
  const { token } = (await signUp(service, shop, { email: 'ravi@example.com' })).json
  const refused = await withSession(service, shop, token).change({ email, currentPassword: password })
  assert.equal(refused.status, 409)
  assert.deepEqual(await toldOf(shop), ['customer.created 1', 'customer.created 1'])
})
