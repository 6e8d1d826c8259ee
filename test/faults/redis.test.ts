import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, newDatabase, newFolder, startService } from '../../src/cli/fixture.ts'
import { commandsIn } from '../every-command.ts'
import { lacksRedis, redisFor } from '../redis.ts'
import { checkLedger } from '../traffic/check.ts'
import { openMarket } from '../traffic/market.ts'
import { randomFor } from '../traffic/random.ts'
import { startTraffic } from '../traffic/start.ts'

test('while Redis is killed, hangs and is back, two instances sell, and refuse nobody', async (t) => {
  if (lacksRedis()) return t.skip('there is no redis-server on this machine')
  const redis = await redisFor(t)
  await redis.start()
  const shared = {
    ...{ DATABASE_URL: await newDatabase(t, { migrated: true }), VITRINE_DATA_DIR: newFolder(t) },
    ...{ VITRINE_DEMO_PORT: '0', VITRINE_SECRET: 'a secret that both of the instances have', LOG_LEVEL: 'warn' },
    REDIS_URL: redis.url,
  }
  const start = async () => startService(t, { ...shared, PORT: await freePort() })
  const instances = [await start(), await start()] as const
  const vitrine = commandsIn(shared)
  const market = await openMarket(t, vitrine)
  const random = randomFor(t)
  let turn = 0
  const choose = () => instances[turn++ % 2 === 0 ? 0 : 1].url
  // A call that is not answered well is a fault: nothing that a shop needs depends on Redis.
  const traffic = await startTraffic(t, market, { clients: 4, choose, repeats: false, random })
  const check = () => checkLedger(market, traffic.ledger, { url: choose(), vitrine })
  for (const [begin, end] of [
    [redis.stop, redis.start],
    [redis.freeze, redis.thaw],
  ] as const) {
    await traffic.awaitOrders(3)
    await sleep(300 * random())
    await begin()
    await traffic.awaitOrders(8)
    await end()
    await traffic.pause(check)
  }
  await traffic.awaitOrders(8)
  await traffic.stop()
  for (const { seen } of instances) assert.match(seen.stdout, /Redis unavailable/)
  await check()
})
