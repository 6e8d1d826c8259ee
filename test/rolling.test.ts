import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, newDatabase, newFolder, until } from '../src/cli/fixture.ts'
import { onCluster } from './cluster.ts'
import { commandsIn } from './every-command.ts'
import { callUrl, startTestService } from './harness.ts'
import { checkLedger } from './traffic/check.ts'
import { openMarket } from './traffic/market.ts'
import { startTraffic } from './traffic/start.ts'

/**
 * The short form of rolling.long.ts: a balancer in this process, which asks for the health of two instances and sends
 * nothing twice. Connections are kept open, so an instance that closed them too early would fail a call.
 */
test('two instances are stopped and started one after the other, and no call fails', async (t) => {
  const databaseUrl = await newDatabase(t, { migrated: true })
  const vitrine = commandsIn({ DATABASE_URL: databaseUrl, VITRINE_DATA_DIR: newFolder(t) })
  const market = await openMarket(t, vitrine)
  const ports = [Number(await freePort()), Number(await freePort())]
  // The balancer must see it before the instance is gone. On a cluster of one machine its questions take longer.
  const stopDelayMs = onCluster ? 5_000 : 1_000
  const start = (port: number) => startTestService({ databaseUrl, port, stopDelayMs })
  const instances = await Promise.all(ports.map(start))
  t.after(() => Promise.all(instances.map((instance) => instance.close())))
  const balancer = balance(instances.map(({ url }) => url))
  t.after(balancer.stop)

  const { choose } = balancer
  const options = { clients: 4, everyMs: 20, choose, repeats: false, looksAround: true }
  const traffic = await startTraffic(t, market, options)
  for (const [i, port] of ports.entries()) {
    await traffic.awaitOrders(5)
    const stopping = instances[i]?.close()
    await until(() => balancer.ready().length === 1)
    const answer = await callUrl(`${instances[i]?.url}/health`)
    assert.deepEqual([answer.status, answer.headers.get('connection')], [503, 'close'])

    await stopping
    instances[i] = await start(port)
    await until(() => balancer.ready().length === 2)
  }
  await traffic.stop()
  await checkLedger(market, traffic.ledger, { url: choose(), vitrine })
})

const balance = (urls: readonly string[]) => {
  const ready = new Set(urls)
  let turn = 0
  let isOver = false
  const watch = async (url: string) => {
    while (!isOver) {
      const isHealthy = await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isHealthy) ready.add(url)
      else ready.delete(url)
      await sleep(50)
    }
  }
  const watching = urls.map(watch)
  return {
    ready: () => [...ready],
    choose: () => [...ready][turn++ % ready.size] ?? assert.fail('no instance is ready'),
    stop: async () => {
      isOver = true
      await Promise.all(watching)
    },
  }
}
