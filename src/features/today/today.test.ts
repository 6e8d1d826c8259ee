import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newProgram, newStaff } from '../../../test/admin-callers.ts'
import { assertError, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openRefundScene } from '../payments/refund-fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

test('what needs to be done is counted as the lists count it', async () => {
  const { order, shop, setStock, store } = await openRefundScene(service, { prices: { Mug: 100, Bowl: 50 } })
  const owner = await newStaff(service, shop)
  const read = async () => {
    const answer = await owner.inStore('GET', '/today')
    assert.equal(answer.status, 200, answer.text)
    return Object.fromEntries(
      Object.entries<{ total: number; totalIsExact: boolean }>(answer.json).map(([name, { total, totalIsExact }]) => {
        assert.ok(totalIsExact, name)
        return [name, total]
      }),
    )
  }
  const nothing = { unpaid: 0, toShip: 0, attention: 0, returns: 0, lowStock: 0, failingWebhooks: 0 }
  assert.deepEqual(await read(), nothing)

  await order({ mug: 1 }, { isPaid: false })
  const [first, second] = [await order({ mug: 1 }), await order({ bowl: 1 })]
  await order({ mug: 1 })
  await first.ship()
  assert.equal((await owner.inStore('POST', `/orders/${first.id}/deliver`)).status, 200)
  const items = [{ id: first.lines[0], quantity: 1 }]
  const asked = await first.call('POST', `/v1/customer/orders/${first.id}/returns`, {
    body: { items, reason: 'Chipped' },
  })
  assert.equal(asked.status, 201, asked.text)
  await service.db.run`update orders set needs_attention = 'DISPUTE' where store_id = ${store.id} and id = ${second.id}`
  await setStock(1)
  const { id } = (await owner.inStore('POST', '/webhooks', { url: 'http://127.0.0.1:1/hook', types: ['order.*'] })).json
  assert.equal((await read()).failingWebhooks, 0)
  await service.db.run`update webhook_endpoint set failing_since = now() where store_id = ${store.id} and id = ${id}`
  const counts = { unpaid: 1, toShip: 2, attention: 1, returns: 1, lowStock: 2, failingWebhooks: 1 }
  assert.deepEqual(await read(), counts)

  const lists = {
    unpaid: 'orders?status=pending',
    toShip: 'orders?toShip=true',
    attention: 'orders?attention=true',
    returns: 'returns?status=requested',
    lowStock: 'stock?stock=low',
  }
  for (const [name, path] of Object.entries(lists)) {
    assert.equal((await owner.inStore('GET', `/${path}`)).json.total, counts[name as keyof typeof lists], path)
  }
})

test('what a caller may not read is not counted', async () => {
  const { order, shop } = await openRefundScene(service)
  await order()
  const nullsOf = async (caller: Pick<Awaited<ReturnType<typeof newStaff>>, 'inStore'>) =>
    Object.entries((await caller.inStore('GET', '/today')).json).flatMap(([name, one]) => (one === null ? [name] : []))
  assert.deepEqual(await nullsOf(await newStaff(service, shop, 'viewer')), [])
  assert.deepEqual(await nullsOf(await newStaff(service, shop, 'fulfilment')), ['failingWebhooks'])
  const catalog = await newProgram(service, shop, { permissions: ['catalog:read'] })
  assert.deepEqual(await nullsOf(catalog), ['unpaid', 'toShip', 'attention', 'returns', 'failingWebhooks'])
  const reports = await newProgram(service, shop, { permissions: ['reports:read'] })
  assertError(await reports.inStore('GET', '/today'), 403, 'FORBIDDEN')
})
