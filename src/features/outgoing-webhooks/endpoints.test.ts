import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../../../test/harness.ts'
import type { DomainErrorCode } from '../../core/domain-errors.ts'
import { findWebhookStoreId } from './deliveries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listEndpoints,
  maxEndpoints,
  rotateEndpointSecret,
  testEndpoint,
} from './endpoints.ts'
import { newWebhookScene, newWebhookShop, startReceiver, testWebhooks } from './fixture.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const url = 'http://localhost:4000/hook'
const newShop = () => newWebhookShop(service, testWebhooks())
const refuses = (work: Promise<unknown>, code: DomainErrorCode) => assert.rejects(work, { name: 'DomainError', code })

test('an endpoint is created with a secret that only its own row opens', async () => {
  const shop = await newShop()
  const made = await shop.addEndpoint(url, ['order.*', 'stock.low', 'order.*'])
  assert.deepEqual(Object.keys(made), ['id', 'secret'])
  assert.match(made.id, /^whk_\w{22}$/)
  assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { types, disabledAt, failingSince, oldSecretUntil, ...rest } = await shop.endpoint(made.id)
  assert.deepEqual([types, disabledAt, failingSince, oldSecretUntil], [['order.*', 'stock.low'], null, null, null])
  assert.deepEqual([rest.url, JSON.stringify(rest).includes('whsec')], [url, false])
  const row = await service.db.one<{ secret: string }>`select secret from webhook_endpoint where id = ${made.id}`
  const { secrets } = testWebhooks()
  assert.equal(secrets.open(row.secret, `${shop.storeId} ${made.id}`), made.secret)
  assert.equal(secrets.open(row.secret, `${shop.storeId} whk_other`), null)
})

test('unknown and missing types are refused, and the valid ones are named', async () => {
  const shop = await newShop()
  for (const type of ['order.eaten', '*', 'order', 'order.', 'orders.*', '', 'order.paid ', 'webhook.test']) {
    await refuses(shop.addEndpoint(url, ['order.paid', type]), 'WEBHOOK_TYPE_UNKNOWN')
  }
  await assert.rejects(shop.addEndpoint(url, ['a.*']), /Valid types: .*order\.\*.*order\.paid.*stock\.low/)
  await refuses(shop.addEndpoint(url, []), 'WEBHOOK_TYPES_MISSING')
})

test('a URL is refused if the service may not call it', async () => {
  const shop = await newShop()
  const create = (given: string, resolve = async () => [{ address: '93.184.216.34', family: 4 }]) =>
    createEndpoint(
      { ...shop.ctx, webhooks: testWebhooks({ production: true, resolve }) },
      { url: given, types: ['order.*'] },
    )
  await create('https://shop.example/hook')
  for (const given of [
    'http://shop.example/',
    'https://localhost/',
    'https://169.254.169.254/',
    'https://a:b@c.de/',
    'x',
  ]) {
    await refuses(create(given), 'WEBHOOK_URL_REFUSED')
  }
  await refuses(
    create('https://shop.example/', async () => [{ address: '10.0.0.7', family: 4 }]),
    'WEBHOOK_URL_REFUSED',
  )
  await refuses(
    create('https://shop.example/', async () => Promise.reject(new Error('no'))),
    'WEBHOOK_URL_REFUSED',
  )
  for (const given of ['https://asha:s3cret@c.de/', 'ftp://asha:s3cret@c.de/', 'asha:s3cret@c.de', '//:s3cret@']) {
    await assert.rejects(create(given), ({ message }: Error) => !message.includes('s3cret'), given)
  }
  assert.equal((await listEndpoints(service.db, shop.store)).length, 1)
})

test(`a store has at most ${maxEndpoints} endpoints, however they are created`, async () => {
  const shop = await newShop()
  const made = await Promise.allSettled(Array.from({ length: maxEndpoints + 5 }, () => shop.addEndpoint(url)))
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, maxEndpoints)
  await refuses(shop.addEndpoint(url), 'WEBHOOK_LIMIT_REACHED')
  const [first] = await listEndpoints(service.db, shop.store)
  await service.db.tx((tx) => deleteEndpoint(tx, shop.store, first?.id ?? ''))
  await shop.addEndpoint(url)
  await (await newShop()).addEndpoint(url)
})

test('an endpoint is changed only by its own store', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const { id } = await shop.addEndpoint(url)
  for (const store of [other.store, shop.store]) {
    const endpointId = store === shop.store ? 'whk_unknown' : id
    await refuses(
      service.db.tx((tx) => deleteEndpoint(tx, store, endpointId)),
      'WEBHOOK_NOT_FOUND',
    )
    await refuses(
      service.db.tx((tx) => enableEndpoint(tx, store, endpointId)),
      'WEBHOOK_NOT_FOUND',
    )
    await refuses(
      service.db.tx((tx) => testEndpoint(tx, store, endpointId)),
      'WEBHOOK_NOT_FOUND',
    )
    await refuses(
      service.db.tx((tx) => rotateEndpointSecret(tx, { ...shop.ctx, store }, endpointId)),
      'WEBHOOK_NOT_FOUND',
    )
  }
  assert.equal((await listEndpoints(service.db, other.store)).length, 0)
  assert.equal(await findWebhookStoreId(service.db, id), shop.storeId)
  assert.equal(await findWebhookStoreId(service.db, 'whk_unknown'), undefined)
})

test('a deleted endpoint is gone at once, with its secret', async () => {
  const shop = await newShop()
  const { id } = await shop.addEndpoint(url)
  await shop.record()
  await service.db.tx((tx) => deleteEndpoint(tx, shop.store, id))
  assert.deepEqual(await listEndpoints(service.db, shop.store), [])
  await refuses(
    service.db.tx((tx) => deleteEndpoint(tx, shop.store, id)),
    'WEBHOOK_NOT_FOUND',
  )
  const row = await service.db.one<{ secret: string }>`select secret from webhook_endpoint where id = ${id}`
  assert.equal(row.secret, '')
  await shop.record()
  assert.deepEqual(
    (await shop.deliveries()).map(({ state }) => state),
    ['waiting'],
    'later events have no delivery, and a job ends this one',
  )
})

test('a test sends one event of its own type to this endpoint, and is not repeated', async (t) => {
  const scene = await newWebhookScene(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const shop = await scene.newShop()
  const { id } = await shop.addEndpoint(receiver.url, ['stock.low'])
  await shop.addEndpoint(other.url)
  const { deliveryId } = await scene.service.db.tx((tx) => testEndpoint(tx, shop.store, id))
  await shop.fill(id, 20)
  receiver.does.respond = (response) => response.writeHead(500).end()
  await scene.runDue()
  const [request] = receiver.received
  const { type, storeId, data } = request?.json ?? {}
  assert.deepEqual([type, storeId, data], ['webhook.test', shop.storeId, { endpointId: id }])
  assert.equal(other.received.length, 0)
  const delivery = (await shop.deliveries()).find(({ id }) => id === deliveryId)
  assert.deepEqual([delivery?.state, delivery?.attempts], ['failed', 1])
  await scene.service.db.run`
    update webhook_endpoint set disabled_at = vitrine_now(), disabled_reason = 'gone' where id = ${id}`
  await refuses(
    scene.service.db.tx((tx) => testEndpoint(tx, shop.store, id)),
    'WEBHOOK_DISABLED',
  )
})
