import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newStaff } from '../../../test/admin-callers.ts'
import { assertError, newStore, startTestService, type TestService, withinASecond } from '../../../test/harness.ts'
import { cheapPasswords } from '../../../test/world.ts'

let service: TestService
before(async () => {
  service = await startTestService({ passwords: cheapPasswords })
})
after(() => service.close())

const open = async () => {
  const shop = await newStore(service)
  const owner = await newStaff(service, shop)
  const audit = async (query: string) => (await owner.inStore('GET', `/audit?${query}`)).json.data
  return { shop, owner, audit }
}

test('a change of settings merges, is shown by the storefront within a second, and is in the audit log', async () => {
  const { shop, owner, audit } = await open()
  const first = (await owner.inStore('GET', '/settings')).json
  const changed = await owner.inStore('PATCH', '/settings', {
    name: 'Green Door',
    contact: { phone: '+91 80 1234' },
    shipping: { freeAbove: 999.5 },
    cashOnDelivery: { enabled: true, maxUnits: null },
    mail: { messages: { 'order.shipped': false } },
    ...{ supportRefundLimit: 250.5, taxId: ' 29ABCDE1234F1Z5 ', invoices: { yearStartMonth: 4 } },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(changed.json, {
    ...first,
    name: 'Green Door',
    contact: { ...first.contact, phone: '+91 80 1234' },
    shipping: { ...first.shipping, freeAbove: 999.5 },
    cashOnDelivery: { ...first.cashOnDelivery, enabled: true, maxUnits: null },
    mail: { ...first.mail, messages: { ...first.mail.messages, 'order.shipped': false } },
    ...{ supportRefundLimit: 250.5, taxId: '29ABCDE1234F1Z5', invoices: { prefix: '', yearStartMonth: 4 } },
  })
  assert.deepEqual((await owner.inStore('GET', '/settings')).json, changed.json)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).json.name === 'Green Door'))
  const [entry] = await audit('action=settings.updated')
  assert.deepEqual(entry.changes.name, { before: first.name, after: 'Green Door' })
  assert.deepEqual(Object.keys(entry.changes).sort(), [
    ...['cashOnDelivery', 'contact', 'invoices', 'mail', 'name', 'shipping', 'supportRefundLimit', 'taxId'],
  ])
})

test('of two changes with the same ETag one is refused, and both without one are kept', async () => {
  const { owner } = await open()
  const etag = (await owner.inStore('GET', '/settings')).headers.get('etag') ?? ''
  const change = (body: unknown, headers = {}) => owner.inStore('PATCH', '/settings', body, headers)
  const answers = await Promise.all([
    change({ name: 'One' }, { 'if-match': etag }),
    change({ logo: 'https://cdn.example/logo.png' }, { 'if-match': etag }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412])
  const refused = answers.find(({ status }) => status === 412)
  assert.equal(refused?.json.code, 'PRECONDITION_FAILED')
  await Promise.all([change({ name: 'Two' }), change({ taxIncluded: true }), change({ lowStockThreshold: 9 })])
  const { name, taxIncluded, lowStockThreshold } = (await owner.inStore('GET', '/settings')).json
  assert.deepEqual([name, taxIncluded, lowStockThreshold], ['Two', true, 9])
})

test('bad settings are refused and change nothing', async () => {
  const { shop, owner } = await open()
  const other = await newStore(service)
  const before = (await owner.inStore('GET', '/settings')).json
  const bad: unknown[] = [
    ...[{ logo: 'javascript:alert(1)' }, { logo: '//cdn.example/logo.png' }, { logo: 'logo.png' }],
    ...[{ name: ' ' }, { domain: 'a b' }, { locale: 'x' }, { timezone: 'Mars/Base' }, { shipping: { flat: 0.001 } }],
    ...[
      { cashOnDelivery: { maxValue: 0 } },
      { oneTimePasswords: { countries: ['XX'] } },
      { mail: { brandColor: 'red' } },
    ],
    ...[{ supportRefundLimit: 0 }, { supportRefundLimit: 0.001 }, { invoices: { prefix: 'INV' } }],
    ...[{ invoices: { prefix: '<b>-' } }, { invoices: { yearStartMonth: 13 } }, { taxId: 'x'.repeat(41) }],
    ...[{ mail: { replyTo: 'nobody' } }, { mail: { messages: { nothing: false } } }],
    ...[{ mail: { messages: { 'password.reset': false } } }, { visitorLimit: 0 }, { lowStockThreshold: -1 }],
  ]
  for (const body of bad) assertError(await owner.inStore('PATCH', '/settings', body), 400, 'BAD_REQUEST')
  assertError(await owner.inStore('PATCH', '/settings', { domain: other.domain }), 409, 'CONFLICT')
  assert.deepEqual((await owner.inStore('GET', '/settings')).json, before)
  assert.equal((await shop.get('/v1/store')).json.name, before.name)
})

test('a closed store refuses its keys until it is opened', async () => {
  const { shop, owner } = await open()
  await owner.inStore('PATCH', '/settings', { closed: true })
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).status !== 200))
  assert.equal((await owner.inStore('PATCH', '/settings', { closed: false })).json.closed, false)
  assert.ok(await withinASecond(async () => (await shop.get('/v1/store')).status === 200))
})

test('keys are created, changed and revoked, and their secrets are shown once', async () => {
  const { shop, owner, audit } = await open()
  const made = await owner.inStore('POST', '/keys', { kind: 'server', name: 'Till', scopes: ['store:read'] })
  assert.equal(made.status, 201)
  const { id, key } = made.json
  const use = (path: string) => service.call(path, { headers: { 'x-store-key': key } })
  assert.equal((await use('/v1/store')).status, 200)
  assert.equal((await use('/v1/products')).status, 403)
  const change = { scopes: ['store:read', 'products:read'], rateLimit: 5_000 }
  const changed = await owner.inStore('PATCH', `/keys/${id}`, change)
  assert.deepEqual([changed.json.name, changed.json.scopes, changed.json.rateLimit], ['Till', change.scopes, 5_000])
  assert.ok(await withinASecond(async () => (await use('/v1/products')).status === 200))
  const listed = await owner.inStore('GET', '/keys')
  assert.ok(!listed.text.includes(key))
  assert.equal((await owner.inStore('DELETE', `/keys/${id}`)).status, 204)
  assert.ok(await withinASecond(async () => (await use('/v1/store')).status === 401))
  const actions = (await audit(`resource=key&resourceId=${id}`)).map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['key.revoked', 'key.updated', 'key.created'])
  assert.ok(!JSON.stringify(await audit('limit=100')).includes(key))
  const other = await open()
  for (const method of ['PATCH', 'DELETE']) {
    const stolen = await other.owner.inStore(method, `/keys/${id}`, method === 'PATCH' ? { rateLimit: 1 } : undefined)
    assertError(stolen, 404, 'NOT_FOUND')
  }
  assertError(
    await owner.inStore('POST', '/keys', { kind: 'server', expiresAt: '2020-01-01T00:00:00Z' }),
    400,
    'BAD_REQUEST',
  )
  assert.ok(shop.key)
})

test('origins are allowed and removed', async () => {
  const { owner, audit } = await open()
  const added = await owner.inStore('POST', '/origins', { origin: 'https://green.example' })
  assert.deepEqual([added.status, added.json.data], [201, ['https://green.example']])
  assertError(await owner.inStore('POST', '/origins', { origin: 'https://*.example' }), 400, 'BAD_REQUEST')
  const name = encodeURIComponent('https://green.example')
  assert.equal((await owner.inStore('DELETE', `/origins/${name}`)).status, 204)
  assertError(await owner.inStore('DELETE', `/origins/${name}`), 404, 'NOT_FOUND')
  assert.deepEqual((await owner.inStore('GET', '/origins')).json.data, [])
  assert.equal((await audit('action=origins.updated')).length, 2)
})

test('webhook credentials are rotated with an overlap, and never reach the audit log', async () => {
  const { owner, audit } = await open()
  const payment = await owner.inStore('POST', '/webhook-credentials/payment/rotate', {})
  assert.equal(payment.status, 200)
  assert.deepEqual(Object.keys(payment.json).sort(), ['oldValidUntil', 'password', 'username'])
  const logistics = await owner.inStore('POST', '/webhook-credentials/logistics/rotate', { overlapHours: 0 })
  assert.deepEqual(Object.keys(logistics.json).sort(), ['key', 'oldValidUntil'])
  assertError(await owner.inStore('POST', '/webhook-credentials/other/rotate', {}), 400, 'BAD_REQUEST')
  const text = JSON.stringify(await audit('resource=webhook_credential'))
  assert.ok(text.includes('webhook_credential.rotated'))
  assert.ok(!text.includes(payment.json.password) && !text.includes(logistics.json.key))
})
