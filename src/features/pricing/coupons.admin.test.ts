import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'
import { openShop } from '../checkout/fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const { shop, mug, newBuyer } = await openShop(service)
  const owner = await newStaff(service, shop)
  const create = (body: unknown, headers = {}) => owner.inStore('POST', '/coupons', body, headers)
  const change = (code: string, body: unknown, headers = {}) =>
    owner.inStore('PATCH', `/coupons/${code}`, body, headers)
  const read = async (code: string) => (await owner.inStore('GET', `/coupons/${code}`)).json
  const codes = async (query: string) =>
    (await owner.inStore('GET', `/coupons${query}`)).json.data.map(({ code }: { code: string }) => code)
  return { shop, mug, newBuyer, owner, create, change, read, codes }
}

test('coupons are created once, listed by code and state, and changed field by field', async () => {
  const { owner, create, change, read, codes } = await open()
  const body = { code: 'tea15', kind: 'percent', value: 15, endsAt: '2999-01-31', usageLimit: 5 }
  const [made, again] = await Promise.all([
    create(body, { 'idempotency-key': 'a' }),
    create(body, { 'idempotency-key': 'a' }),
  ])
  assert.deepEqual([made.status, again.status], [201, 201], made.text + again.text)
  assert.deepEqual(again.json, made.json)
  assert.deepEqual([made.json.code, made.json.active, made.json.endsAt], ['TEA15', true, '2999-01-31T18:30:00.000Z'])
  assertError(await create(body), 409, 'CONFLICT')
  await create({ code: 'OLD', kind: 'fixed', value: 10, endsAt: '2020-01-31' })
  assert.deepEqual(await codes(''), ['OLD', 'TEA15'])
  assert.deepEqual(await codes('?q=te'), ['TEA15'])
  assert.deepEqual(await codes('?active=true'), ['TEA15'])
  assert.deepEqual(await codes('?active=false'), ['OLD'])
  const changed = await change('tea15', { minSubtotal: 99.5, listed: true })
  assert.deepEqual(changed.json, { ...made.json, minSubtotal: 99.5, listed: true })
  const stopped = await change('TEA15', { stopped: true })
  assert.deepEqual([stopped.json.stopped, stopped.json.active], [true, false])
  assert.equal((await change('TEA15', { stopped: false })).json.active, true)
  const bad: unknown[] = [
    ...[{ value: 101 }, { value: 0 }, { minSubtotal: 0.001 }, { categories: ['none'] }, { endsAt: 'soon' }],
    ...[{ startsAt: '2999-02-01' }, { usageLimit: 0 }],
  ]
  for (const wrong of bad) assertError(await change('TEA15', wrong), 400, 'BAD_REQUEST')
  assertError(await change('NONE', {}), 404, 'NOT_FOUND')
  assert.equal((await read('TEA15')).minSubtotal, 99.5)
  const csv = await owner.inStore('GET', '/coupons?format=csv&q=TEA')
  assert.match(csv.text, /^id,code,kind,.*\r\ncpn_\w+,TEA15,percent,15,.*\r\n$/)
  const actions = (await owner.inStore('GET', '/audit?resource=coupon&resourceId=TEA15')).json.data
  assert.deepEqual(
    actions.map(({ action }: { action: string }) => action),
    ['coupon.updated', 'coupon.stopped', 'coupon.updated', 'coupon.created'],
  )
  const stranger = await newStaff(service, await newStore(service))
  assertError(await stranger.inStore('GET', '/coupons/TEA15'), 404, 'NOT_FOUND')
})

test('of two changes with the same ETag one is refused', async () => {
  const { owner, create, change } = await open()
  await create({ code: 'TEN', kind: 'percent', value: 10 })
  const etag = (await owner.inStore('GET', '/coupons/TEN')).headers.get('etag') ?? ''
  const answers = await Promise.all([
    change('TEN', { description: 'One' }, { 'if-match': etag }),
    change('TEN', { listed: true }, { 'if-match': etag }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412])
})

test('uses are counted exactly beside changes of the limit, and are the orders of the list', async () => {
  const { mug, newBuyer, owner, create, change, read } = await open()
  await create({ code: 'TEN', kind: 'percent', value: 10, usageLimit: 6 })
  const buyers = await Promise.all(Array.from({ length: 8 }, () => newBuyer({ productId: mug })))
  const [answers, limits] = await Promise.all([
    Promise.all(buyers.map((buyer) => buyer.checkOut({ couponCode: 'TEN' }))),
    Promise.all([2, 3, 4].map((usageLimit) => change('TEN', { usageLimit }))),
  ])
  for (const { status } of limits) assert.ok(status === 200 || status === 409)
  const placed = answers.filter(({ status }) => status === 201)
  const { used, usageLimit } = await read('TEN')
  assert.equal(used, placed.length)
  assert.ok(used <= usageLimit, `${used} of ${usageLimit}`)
  const uses = (await owner.inStore('GET', '/coupons/TEN/uses')).json
  assert.equal(uses.total, used)
  assert.deepEqual(
    uses.data.map(({ orderId }: { orderId: string }) => orderId).sort(),
    placed.map(({ json }) => json.order.id).sort(),
  )
  assertError(await change('TEN', { usageLimit: Math.max(1, used - 1) }), 409, 'CONFLICT')
  assertError(await change('TEN', { value: 20 }), 409, 'CONFLICT')
  const cancelled = buyers[answers.findIndex(({ status }) => status === 201)]
  await cancelled?.call('POST', `/v1/customer/orders/${placed[0]?.json.order.id}/cancel`)
  assert.equal((await owner.inStore('GET', '/coupons/TEN/uses')).json.total, (await read('TEN')).used)
})
