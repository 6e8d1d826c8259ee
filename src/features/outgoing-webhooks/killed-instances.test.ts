import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seconds } from '../../core/clock.ts'
import { newWebhookScene, startReceiver, until } from './fixture.ts'

const script = fileURLToPath(new URL('../../../test/webhook-instance.ts', import.meta.url))

test('every event is delivered although instances are killed at random moments', async (t) => {
  const { service, url, newShop } = await newWebhookScene(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  for (const { does } of [receiver, other]) {
    does.respond = async (response) => {
      await sleep(Math.random() * 20)
      response.end()
    }
  }
  const shop = await newShop()
  await shop.addEndpoint(receiver.url, ['product.*'])
  await shop.addEndpoint(other.url, ['product.created'])
  let recorded = 0
  const record = () => shop.add({ name: `Mug ${++recorded}`, price: 1 })
  const startInstance = async () => {
    const args = [script, url, String(service.clock.offsetMs())]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child
  }
  for (let kills = 0; kills < 3; kills++) {
    const child = await startInstance()
    const seen = receiver.received.length
    const atLeast = Math.ceil(Math.random() * 15)
    while (receiver.received.length < seen + atLeast) await record()
    child.kill('SIGKILL')
    await once(child, 'exit')
    // What it was sending becomes due again.
    service.clock.advance(seconds(41))
  }
  const last = await startInstance()
  const waiting = () => service.db.one<{ count: number }>`
    select count(*) as count from webhook_delivery where state <> 'delivered'`
  await until(async () => (await waiting()).count === 0, 'all are delivered')
  last.kill('SIGKILL')
  await once(last, 'exit')
  const events = await service.db.many<{ id: string }>`select id from event order by id`
  assert.equal(events.length, recorded)
  const ids = events.map(({ id }) => id)
  for (const { ids: received } of [receiver, other]) assert.deepEqual([...new Set(received())].sort(), ids)
  assert.ok(receiver.open.most <= 2 && other.open.most <= 2)
})
