import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jsonBody, newStaff } from '../../../test/admin-callers.ts'
import { type ShiprocketDouble, startShiprocketDouble } from '../../../test/doubles/shiprocket.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { createShiprocket } from '../../providers/carrier/shiprocket.ts'
import { openScene } from '../payments/fixture.ts'

let service: TestService
let double: ShiprocketDouble
before(async () => {
  double = await startShiprocketDouble({ now: () => service.clock.now() })
  service = await startTestService({ passwords: cheapPasswords, carriers: [createShiprocket(double.url)] })
})
after(async () => {
  await service.close()
  await double.close()
})

test('a carrier account is checked by a real call, set, and never shown', async () => {
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const credentials = double.openAccount(service.url, shop.logisticsKey)
  const set = (body: unknown) => owner.inStore('PATCH', '/carriers/shiprocket', body)
  const read = async () => (await owner.inStore('GET', '/carriers')).json.data[0]
  assert.deepEqual([(await read()).carrier, (await read()).complete], ['shiprocket', false])
  const [first = ''] = Object.keys(credentials)
  assertError(await set({ credentials: { [first]: 'x' } }), 400, 'BAD_REQUEST')
  assertError(await set({ credentials: { ...credentials, other: 'x' } }), 400, 'BAD_REQUEST')
  const wrong = Object.fromEntries(Object.keys(credentials).map((name) => [name, 'wrong-value@x.example']))
  const refused = await set({ credentials: wrong })
  assert.ok(refused.status === 400 || refused.status === 409, refused.text)
  assert.equal((await read()).complete, false, 'nothing was changed')
  assertError(await owner.inStore('PATCH', '/carriers/nobody', { credentials: {} }), 400, 'BAD_REQUEST')
  const packer = await newStaff(service, shop, 'fulfilment')
  const toBookWith = () => packer.inStore('GET', '/shipping-carriers')
  assert.deepEqual((await toBookWith()).json, { data: [] }, 'none without an account')
  const made = await set({ credentials })
  assert.deepEqual([made.status, made.json.account.complete], [200, true], made.text)
  assert.ok(made.json.answer.length > 0)
  assert.deepEqual((await toBookWith()).json, { data: [{ name: 'shiprocket', label: 'Shiprocket' }] })
  assertError(await packer.inStore('GET', '/carriers'), 403, 'FORBIDDEN')
  const audit = await owner.inStore('GET', '/audit?resource=carrier')
  assert.deepEqual(audit.json.data[0].changes.credentials.after, Object.keys(credentials).sort())
  const texts = [made.text, audit.text, (await owner.inStore('GET', '/carriers')).text]
  const secrets = Object.entries(credentials).filter(([name]) => /password|token|secret/i.test(name))
  assert.ok(secrets.length > 0)
  for (const [, secret] of secrets) for (const text of texts) assert.ok(!text.includes(secret))
})

test('events of carriers are in the inbox, and one that matched nothing is applied again once', async () => {
  const { shop, store, order, report } = await openScene(service)
  const owner = await newStaff(service, shop)
  const placed = await order()
  await report(placed)
  const send = (body: Record<string, unknown>) =>
    service.call('/webhook/logistics/carrier', {
      method: 'POST',
      ...jsonBody(body),
      headers: { 'x-api-key': shop.logisticsKey, 'content-type': 'application/json' },
    })
  assert.equal((await send({ eventId: 'd1', trackingNumber: 'T-1', status: 'delivered' })).status, 404)
  const list = async (query: string) => (await owner.inStore('GET', `/inbox${query}`)).json
  const all = await list('')
  assert.deepEqual(
    all.data.map(({ kind }: { kind: string }) => kind),
    ['delivery', 'payment'],
  )
  assert.equal(all.total, 2)
  const first = await list('?limit=1')
  assert.equal((await list(`?limit=1&cursor=${first.nextCursor}`)).data[0].kind, 'payment')
  const [event] = (await list('?kind=delivery&outcome=unmatched')).data
  assert.deepEqual([event.eventId, event.source, event.orderId], ['d1', 'carrier', null])
  assert.equal((await list('?kind=payment')).total, 1)
  const again = () => owner.inStore('POST', `/inbox/${event.id}/replay`)
  assert.equal((await again()).json.outcome, 'unmatched')
  await service.db.run`
    insert into shipment (store_id, order_id, id, tracking_number, partner, status, created_at, updated_at)
    values (${store.id}, ${placed.id}, 'ship_1', 'T-1', 'Bluebird', 'booked', now(), now())`
  const answers = await Promise.all([again(), again(), again()])
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answers.map(({ json }) => json.outcome).sort(), ['after_delivery', 'after_delivery', 'applied'])
  const entries = await service.db.many`
    select from order_event where order_id = ${placed.id} and type = 'delivered'`
  assert.equal(entries.length, 1)
  assert.equal((await list(`?orderId=${placed.id}`)).total, 2)
  const stranger = await newStaff(service, await newStore(service))
  assertError(await stranger.inStore('POST', `/inbox/${event.id}/replay`), 404, 'NOT_FOUND')
  assert.equal((await stranger.inStore('GET', '/inbox')).json.total, 0)
  assert.ok((await owner.inStore('GET', '/audit?action=delivery_event.replayed')).json.total >= 1)
})
