import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { pino } from 'pino'
import { createApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { days, movableClock } from '../core/clock.ts'
import type { Queries } from '../db/database.ts'
import { createLogger } from '../logging.ts'
import { batchSize } from './batch.sql.ts'
import { countAll, fill, serviceAlone } from './fixture.ts'
import { runSweeps, startSweeping } from './run-sweeps.ts'

const db = {} as Queries

/** The timer of the sweeps keeps no process alive, and must not. */
const stayingAlive = async (event: Promise<void>) => {
  const alive = setInterval(() => {}, 1000)
  await event
  clearInterval(alive)
}

test('a sweep that fails is told of and does not stop the others', async () => {
  const done: string[] = []
  const sweep = (name: string) => async () => {
    done.push(name)
    return 0
  }
  const broken = async () => {
    throw new Error('no such table')
  }
  const troubles: string[] = []
  await runSweeps({
    db,
    sweeps: { first: sweep('first'), broken, last: sweep('last') },
    onTrouble: (name, error) => troubles.push(`${name}: ${(error as Error).message}`),
  })
  assert.deepEqual(done, ['first', 'last'])
  assert.deepEqual(troubles, ['broken: no such table'])
})

test('a sweep goes on as long as batches come back full', async () => {
  const batches = [batchSize, batchSize, batchSize - 1, batchSize]
  await runSweeps({ db, sweeps: { some: async () => batches.shift() as number }, onTrouble: assert.fail })
  assert.deepEqual(batches, [batchSize])
})

test('stopping waits for the batch under way and begins no other', async () => {
  const begun = Promise.withResolvers<void>()
  const batch = Promise.withResolvers<number>()
  let calls = 0
  const endless = () => {
    calls++
    begun.resolve()
    return batch.promise
  }
  const sweeping = startSweeping({ db, sweeps: { endless, other: endless }, onTrouble: assert.fail }, 1)
  await stayingAlive(begun.promise)
  let stopped = false
  const stopping = sweeping.stop().then(() => {
    stopped = true
  })
  await new Promise(setImmediate)
  assert.equal(stopped, false)
  batch.resolve(batchSize)
  await stopping
  assert.equal(calls, 1)
})

test('sweeping goes on after a round in which something failed', async () => {
  let rounds = 0
  const third = Promise.withResolvers<void>()
  const failing = async () => {
    if (++rounds === 3) third.resolve()
    throw new Error('the database is away')
  }
  const sweeping = startSweeping({ db, sweeps: { failing }, onTrouble: () => {} }, 1)
  await stayingAlive(third.promise)
  await sweeping.stop()
})

test('a service sweeps by itself, says nothing about it, and ends cleanly', { timeout: 30_000 }, async (t) => {
  const { service, url } = await serviceAlone(t)
  await fill(service, 3)
  const config = { ...loadConfig({ NODE_ENV: 'test' }), port: 0, databasePoolSize: 2 }
  const clock = movableClock()
  clock.advance(days(200))
  const lines: string[] = []
  const app = await createApp({
    config,
    connection: { connectionString: url },
    directConnection: { connectionString: url },
    secrets: ['a secret for tests that is long enough to be one'],
    logger: createLogger(config, { write: (line) => void lines.push(line) } as pino.DestinationStream),
    clock,
    sweepEveryMs: 5,
  })
  try {
    while (Object.values(await countAll(url)).some((count) => count > 0)) await setTimeout(10)
  } finally {
    await app.close()
  }
  assert.deepEqual(lines, [])
})
