import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openScene } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

type Account = { provider: string; active: boolean; complete: boolean; credentials: { name: string; set: boolean }[] }

test('an account is set, checked, switched to and never shown', async () => {
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const read = async () => {
    const { json, text } = await owner.inStore('GET', '/payment-accounts')
    const account = json.data.find(({ provider }: Account) => provider === 'keyed') as Account
    return { account, text }
  }
  const { account } = await read()
  assert.deepEqual([account.active, account.complete], [false, false])
  const [name = ''] = account.credentials.map((credential) => credential.name)
  assertError(await owner.inStore('POST', '/payment-accounts/keyed/activate'), 400, 'BAD_REQUEST')
  assertError(
    await owner.inStore('PATCH', '/payment-accounts/keyed', { credentials: { other: 'x' } }),
    400,
    'BAD_REQUEST',
  )
  assertError(await owner.inStore('PATCH', '/payment-accounts/nobody', { credentials: {} }), 400, 'BAD_REQUEST')
  const credentials = Object.fromEntries(account.credentials.map((one) => [one.name, 'a-very-secret-value']))
  const set = await owner.inStore('PATCH', '/payment-accounts/keyed', { credentials, check: false })
  assert.deepEqual([set.status, set.json.account.complete], [200, true], set.text)
  const activated = await owner.inStore('POST', '/payment-accounts/keyed/activate')
  assert.deepEqual([activated.status, activated.json.account.active], [200, true], activated.text)
  assert.equal((await owner.inStore('GET', '/settings')).json.paymentProvider, 'keyed')
  const audit = await owner.inStore('GET', '/audit?limit=100')
  const [entry] = audit.json.data.filter(({ action }: { action: string }) => action === 'payment_account.updated')
  assert.ok(entry.changes.credentials.after.includes(name))
  for (const text of [(await read()).text, audit.text, set.text, activated.text]) {
    assert.ok(!text.includes('a-very-secret-value'))
  }
})

test('events of providers are listed, and applied again only at their own store', async () => {
  const { shop, order, report } = await openScene(service)
  const owner = await newStaff(service, shop)
  const placed = await order()
  await report(placed)
  const { data, total } = (await owner.inStore('GET', `/inbox?outcome=applied&orderId=${placed.id}`)).json
  assert.equal(total, 1)
  assert.equal(data[0].orderId, placed.id)
  const replayed = await owner.inStore('POST', `/inbox/${data[0].id}/replay`)
  assert.equal(replayed.status, 200, replayed.text)
  const stranger = await newStaff(service, await newStore(service))
  assertError(await stranger.inStore('POST', `/inbox/${data[0].id}/replay`), 404, 'NOT_FOUND')
  assert.deepEqual((await stranger.inStore('GET', '/inbox')).json.data, [])
})
