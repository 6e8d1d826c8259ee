import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { serviceAlone } from '../../jobs/fixture.ts'
import { startReceiver } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

test('an endpoint is created, tested, rotated, switched on and deleted', async (t) => {
  const { service } = await serviceAlone(t, { passwords: cheapPasswords })
  const receiver = await startReceiver(t)
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const made = await owner.inStore('POST', '/webhooks', { url: receiver.url, types: ['order.*'] })
  assert.equal(made.status, 201, made.text)
  const { id, secret } = made.json
  assert.match(secret, /^whsec_/)
  const listed = await owner.inStore('GET', '/webhooks')
  assert.deepEqual([listed.json.data.length, listed.json.data[0].url], [1, receiver.url])
  assert.ok(!listed.text.includes(secret))

  const { deliveryId } = (await owner.inStore('POST', `/webhooks/${id}/test`)).json
  await service.app.jobs.runDue()
  const { data, total } = (await owner.inStore('GET', `/webhook-deliveries?endpointId=${id}&state=delivered`)).json
  assert.equal(total, 1)
  assert.deepEqual([data[0].id, data[0].lastAttempt.status], [deliveryId, 200])
  const again = await owner.inStore('POST', `/webhook-deliveries/${deliveryId}/redeliver`)
  assert.deepEqual([again.status, again.json.state], [200, 'waiting'])
  await service.app.jobs.runDue()
  assert.equal(receiver.received.length, 2)

  const rotated = await owner.inStore('POST', `/webhooks/${id}/rotate`)
  assert.equal(rotated.status, 200)
  assert.notEqual(rotated.json.secret, secret)
  assertError(await owner.inStore('POST', `/webhooks/${id}/rotate`), 409, 'CONFLICT')
  assert.equal((await owner.inStore('POST', `/webhooks/${id}/rotate`, { force: true })).status, 200)
  assert.equal((await owner.inStore('POST', `/webhooks/${id}/enable`)).json.disabledAt, null)

  const stranger = await newStaff(service, await newStore(service))
  for (const [method, path] of [
    ['POST', `/webhooks/${id}/test`],
    ['POST', `/webhooks/${id}/rotate`],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhook-deliveries/${deliveryId}/redeliver`],
  ] as const) {
    assertError(await stranger.inStore(method, path), 404, 'NOT_FOUND')
  }
  assert.equal((await owner.inStore('DELETE', `/webhooks/${id}`)).status, 204)
  assert.deepEqual((await owner.inStore('GET', '/webhooks')).json.data, [])
  const audited = (await owner.inStore('GET', '/audit?resource=webhook')).json.data
  assert.deepEqual(
    audited.map(({ action }: { action: string }) => action),
    ['webhook.deleted', 'webhook.enabled', 'webhook.rotated', 'webhook.rotated', 'webhook.created'],
  )
  assert.ok(!JSON.stringify(audited).includes('whsec_'))
})

test('addresses and types that cannot be used are refused', async () => {
  const owner = await newStaff(service, await newStore(service))
  for (const body of [
    { url: 'ftp://erp.example', types: ['order.*'] },
    { url: 'nonsense', types: ['order.*'] },
    { url: 'http://127.0.0.1:1/hook', types: ['order.nothing'] },
  ]) {
    assertError(await owner.inStore('POST', '/webhooks', body), 400, 'BAD_REQUEST')
  }
})

test('deliveries are paged, newest first', async (t) => {
  const receiver = await startReceiver(t)
  const owner = await newStaff(service, await newStore(service))
  const { id } = (await owner.inStore('POST', '/webhooks', { url: receiver.url, types: ['order.*'] })).json
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift((await owner.inStore('POST', `/webhooks/${id}/test`)).json.deliveryId)
  const seen: string[] = []
  let cursor = ''
  do {
    const page = (await owner.inStore('GET', `/webhook-deliveries?limit=2${cursor}`)).json
    assert.equal(page.total, 5)
    seen.push(...page.data.map((delivery: { id: string }) => delivery.id))
    cursor = page.hasMore ? `&cursor=${page.nextCursor}` : ''
  } while (cursor !== '')
  assert.deepEqual(seen.toSorted(), made.toSorted())
})
