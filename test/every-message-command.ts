import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newFolder, until } from '../src/cli/fixture.ts'
import { startReceiver } from '../src/features/outgoing-webhooks/fixture.ts'
import { newBuyer } from './buyer.ts'
import type { Run } from './every-command.ts'

type WebhookPlace = { run: Run; inStore: readonly string[]; isServed: boolean }

/** `webhook …` and `delivery …`. Without a service nothing is sent, and the commands say so. */
export const useWebhookCommands = async (t: TestContext, { run, inStore, isServed }: WebhookPlace) => {
  const vitrine = (...args: string[]) => run(args)
  const receiver = await startReceiver(t)
  const types = ['--types', 'product.*,stock.low']
  const made = await vitrine('webhook', 'create', '--url', receiver.url, ...types, ...inStore)
  assert.deepEqual(Object.keys(made), ['id', 'secret'])
  assert.match(made.secret, /^whsec_/)
  const endpoint = async () => {
    const listed: Record<string, unknown>[] = await vitrine('webhook', 'list', ...inStore)
    assert.equal(listed.length, 1)
    return listed[0] ?? {}
  }
  const listed = await endpoint()
  assert.deepEqual([listed.id, listed.url, listed.types], [made.id, receiver.url, ['product.*', 'stock.low']])

  const tested = await vitrine('webhook', 'test', made.id)
  const result = isServed ? ['delivered', 200, 'thanks'] : ['waiting', null, '']
  assert.deepEqual([tested.state, tested.status, tested.answer], result)
  const rotated = await vitrine('webhook', 'rotate', made.id)
  assert.deepEqual(Object.keys(rotated), ['id', 'secret', 'oldSecretUntil'])
  assert.notEqual(rotated.secret, made.secret)
  assert.ok((await endpoint()).oldSecretUntil)

  const list = (...args: string[]) => vitrine('delivery', 'list', ...inStore, '--endpoint', made.id, ...args)
  const [delivery] = await list('--state', isServed ? 'delivered' : 'waiting', '--limit', '1')
  assert.deepEqual([delivery.id, delivery.type], [tested.deliveryId, 'webhook.test'])
  assert.deepEqual(await list('--before', delivery.id), [])
  assert.deepEqual(await vitrine('delivery', 'redeliver', delivery.id), { queued: 1 })
  if (isServed) await until(() => receiver.received.length === 2)
  assert.deepEqual(new Set(receiver.ids()), new Set(isServed ? [delivery.eventId] : []))
  assert.deepEqual(await vitrine('delivery', 'redeliver', '--failed', ...inStore), { queued: 0 })

  if (isServed) {
    receiver.does.respond = (response) => response.writeHead(410).end()
    assert.equal((await vitrine('webhook', 'test', made.id)).status, 410)
    assert.equal((await endpoint()).disabledAt, null)
  }
  assert.equal((await vitrine('webhook', 'enable', made.id)).disabledAt, null)
  assert.deepEqual(await vitrine('webhook', 'delete', made.id), { id: made.id, deleted: true })
  assert.deepEqual(await vitrine('webhook', 'list', ...inStore), [])
}

type MailPlace = { run: Run; demo: { storeId: string; browserKey: string }; serviceUrl: string | null }

/** `mail …`. Only a running service takes the order whose mail is sent again. */
export const useMailCommands = async (t: TestContext, { run, demo, serviceUrl }: MailPlace) => {
  const inDemo = ['--store', demo.storeId]
  const vitrine = (...args: string[]) => run([...args, ...inDemo])
  const file = join(newFolder(t), 'paid.html')
  const preview = await vitrine('mail', 'preview', 'order.paid', '--language', 'hi', '--out', file)
  assert.deepEqual([preview.message, preview.language, preview.html], ['order.paid', 'hi', file])
  assert.ok(existsSync(preview.html) && existsSync(preview.text))
  const sent = await vitrine('mail', 'send-test', '--to', 'me@example.com', '--message', 'order.shipped')
  assert.deepEqual([sent.to, sent.message], ['me@example.com', 'order.shipped'])
  assert.deepEqual(await vitrine('mail', 'list', '--state', 'failed'), [])
  if (serviceUrl === null) return
  const { number } = await (await newBuyer(serviceUrl, demo.browserKey)).order('cod', 'masala-chai-blend')
  const resent = await vitrine('mail', 'resend', number, 'order.placed')
  assert.deepEqual([resent.order, resent.recipient], [number, 'asha@example.com'])
  const states = async () => {
    const mails: { id: string; message: string; state: string }[] = await vitrine('mail', 'list', '--limit', '50')
    return mails.filter(({ message }) => message === 'order.placed').map(({ state }) => state)
  }
  await until(async () => (await states()).join() === 'sent,sent')
}
