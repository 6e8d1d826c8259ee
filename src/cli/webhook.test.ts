import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signWebhook } from '../core/webhook-signature.ts'
import { startReceiver } from '../features/outgoing-webhooks/fixture.ts'
import {
  assertSentence,
  demoInstallation,
  productionSettings,
  runJson,
  runVitrine,
  startService,
  until,
} from './fixture.ts'
import { describeTest } from './webhook.ts'

test('an endpoint is created, tested, rotated, switched on and deleted from the command line', async (t) => {
  const installation = await demoInstallation(t)
  const vitrine = (...args: string[]) => runJson(args, installation)
  const receiver = await startReceiver(t)
  const made = await vitrine('webhook', 'create', '--url', receiver.url, '--types', 'product.*, stock.low')
  assert.deepEqual(Object.keys(made), ['id', 'secret'])
  const [listed] = await vitrine('webhook', 'list')
  assert.deepEqual([listed.id, listed.url, listed.types], [made.id, receiver.url, ['product.*', 'stock.low']])
  assert.equal(JSON.stringify(listed).includes('whsec'), false)

  const { code, stdout } = await runVitrine(['webhook', 'test', made.id], installation)
  assert.equal(code, 0)
  assert.match(stdout, /^The test dlv_\w+ is queued, and no service has sent it yet\./)

  await startService(t, installation)
  await until(() => receiver.received.length === 1)
  const { secret } = await vitrine('webhook', 'rotate', made.id)
  const tested = await vitrine('webhook', 'test', made.id)
  assert.deepEqual([tested.state, tested.status, tested.error, tested.answer], ['delivered', 200, '', 'thanks'])
  assert.equal(typeof tested.durationMs, 'number')
  const { headers, text = '', json } = receiver.received.at(-1) ?? {}
  assert.equal(json?.type, 'webhook.test')
  const message = {
    ...{ id: String(headers?.['webhook-id']), body: text },
    timestampSeconds: Number(headers?.['webhook-timestamp']),
  }
  assert.equal(headers?.['webhook-signature'], signWebhook([secret, made.secret], message))

  receiver.does.respond = (response) => response.writeHead(410).end('gone')
  const shown = await runVitrine(['webhook', 'test', made.id], installation)
  assert.match(
    shown.stdout,
    /state +failed\nstatus +410\ntime +\d+ ms\nerror +The endpoint answered 410\.\nanswer +gone/,
  )
  assert.equal((await vitrine('webhook', 'list'))[0].disabledAt, null)
  await vitrine('stock', 'set', '--variant', 'KC-TAWA-26', '--quantity', '1')
  await until(async () => (await vitrine('webhook', 'list'))[0].disabledReason === 'gone')
  assertSentence(
    await runVitrine(['webhook', 'test', made.id], installation),
    'Switch it on by "vitrine webhook enable"',
  )

  receiver.does.respond = (response) => response.end('ok')
  const enabled = await vitrine('webhook', 'enable', made.id)
  assert.equal(enabled.disabledAt, null)
  const [missed, failed] = await vitrine('delivery', 'list', '--state', 'failed', '--endpoint', made.id)
  assert.deepEqual([failed.type, failed.lastAttempt.status, failed.attempts], ['webhook.test', 410, 1])
  assert.deepEqual(await vitrine('delivery', 'redeliver', failed.id), { queued: 1 })
  await until(async () => (await vitrine('delivery', 'list', '--state', 'delivered')).length === 3)
  assert.equal(receiver.ids().at(-1), failed.eventId)
  assert.deepEqual(await vitrine('delivery', 'redeliver', '--failed', '--endpoint', made.id), { queued: 1 })
  await until(() => receiver.ids().at(-1) === missed.eventId)
  const { stdout: listing } = await runVitrine(['delivery', 'list', '--limit', '2'], installation)
  assert.match(
    listing,
    /^id +type +state +attempts +created +last attempt\ndlv_\w+ +stock\.low .*\ndlv_\w+ +webhook\.test +delivered +1 +\S+ +200 in \d+ ms\n/,
  )

  assert.deepEqual(await vitrine('webhook', 'delete', made.id), { id: made.id, deleted: true })
  assert.deepEqual(await vitrine('webhook', 'list'), [])
})

test('a test of an endpoint that was overloaded says until when nothing is sent', async (t) => {
  const installation = await demoInstallation(t)
  const vitrine = (...args: string[]) => runJson(args, installation)
  const receiver = await startReceiver(t)
  const { id } = await vitrine('webhook', 'create', '--url', receiver.url, '--types', 'stock.low')
  await startService(t, installation)
  receiver.does.respond = (response) => response.writeHead(503, { 'retry-after': '600' }).end()
  await vitrine('stock', 'set', '--variant', 'KC-MUG-OAT', '--quantity', '2')
  await until(async () => (await vitrine('webhook', 'list'))[0].pausedUntil !== null)
  const [{ pausedUntil }] = await vitrine('webhook', 'list')
  const { stdout } = await runVitrine(['webhook', 'test', id], installation)
  const reason = `The endpoint was overloaded, and nothing is sent to it until ${pausedUntil}.`
  assert.match(stdout, new RegExp(`^The test dlv_\\w+ is queued\\. ${RegExp.escape(reason)}\\n$`))
  assert.equal(receiver.received.length, 1)
})

test('the result of a test is described by what has happened to it', () => {
  const test = { deliveryId: 'dlv_1', state: 'waiting', status: null, durationMs: null, error: '', answer: '' } as const
  assert.match(describeTest(test, 'sending'), /^The test dlv_1 is being sent\. .*delivery list/)
  assert.match(describeTest(test, 'queued'), /^The test dlv_1 is queued, and no service has sent it yet\./)
  assert.match(describeTest(test, new Date(0)), /^The test dlv_1 is queued\. .* until 1970-01-01T00:00:00\.000Z\.$/)
  const failed = { ...test, state: 'failed', durationMs: 15_000, error: 'There was no answer.' } as const
  assert.match(
    describeTest(failed, 'queued'),
    /state +failed\nstatus +none\ntime +15000 ms\nerror +There was no answer\./,
  )
})

test('what cannot be done is refused with a sentence', async (t) => {
  const installation = await demoInstallation(t)
  const refused = async (args: readonly string[], ...parts: (string | RegExp)[]) =>
    assertSentence(await runVitrine(args, installation), ...parts)
  const create = ['webhook', 'create', '--url', 'http://localhost:1/', '--types']
  await refused([...create, 'order.eaten'], 'There is no event type "order.eaten"', 'order.paid', 'order.*')
  await refused([...create, ''], 'There is no event type ""')
  await refused(['webhook', 'create', '--url', 'ftp://a.example/', '--types', 'order.*'], 'cannot be used')
  await refused(['webhook', 'test', 'whk_unknown'], 'There is no webhook endpoint whk_unknown', 'vitrine webhook list')
  await refused(['delivery', 'redeliver', 'dlv_a_b'], 'There is no')
  await refused(['delivery', 'redeliver', 'x'], 'There is no delivery x', 'vitrine delivery list')
  await refused(['delivery', 'redeliver'], 'use --failed')
  await refused(['delivery', 'redeliver', 'dlv_a_b', '--failed'], 'use --failed')
  await refused(['delivery', 'list', '--state', 'lost'], 'There is no delivery state "lost"')
  const inProduction = { ...installation, ...productionSettings, VITRINE_SECRET: 's'.repeat(32) }
  const { storeId } = (await runJson(['store', 'list'], installation)).map(({ id }: { id: string }) => ({
    storeId: id,
  }))[0]
  for (const url of ['http://shop.example/', 'https://localhost/', 'https://169.254.169.254/']) {
    const args = ['webhook', 'create', '--store', storeId, '--url', url, '--types', 'order.*']
    assertSentence(await runVitrine(args, inProduction), `${url} cannot be used.`)
  }
})
