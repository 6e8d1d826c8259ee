import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { randomText } from '../core/ids.ts'
import { readDemoKeys, runJson, seededInstallation, startService, until, workersOf } from './fixture.ts'

const workers = 3
/** Several times what is counted one by one before blocks begin. */
const limit = 1_500

/** Connections of a client that stay open. The workers get them in turn. */
const openConnections = (t: Pick<TestContext, 'after'>, url: string, count: number, client = '192.0.2.1') =>
  Array.from({ length: count }, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const call = async (key: string): Promise<number | undefined> => {
      const sent = request(`${url}/v1/store`, {
        agent,
        headers: { 'x-store-key': key, 'x-forwarded-for': client },
      }).end()
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      for await (const _ of answer) {
      }
      return answer.statusCode
    }
    return async (key: string) => {
      let status = await call(key)
      // On a busy machine a worker may refuse calls for a moment. It does not count them.
      while (status === 503) {
        await setTimeout(100)
        status = await call(key)
      }
      return status
    }
  })

type Call = ReturnType<typeof openConnections>[number]

const callInTurn = async (call: Call, key: string, times: number) => {
  const statuses: (number | undefined)[] = []
  for (let i = 0; i < times; i++) statuses.push(await call(key))
  return statuses
}

/** Repeats what a new minute has interrupted. */
const withinOneMinute = async (run: () => Promise<void>): Promise<void> => {
  const minute = () => Math.floor(Date.now() / 60_000)
  const before = minute()
  await run().catch((error) => {
    if (minute() === before) throw error
  })
  if (minute() !== before) await withinOneMinute(run)
}

const tallyOf = (statuses: readonly unknown[]) => {
  const byStatus = Map.groupBy(statuses, String)
  return Object.fromEntries([...byStatus].map(([status, all]) => [status, all.length]))
}

const allowedOf = (statuses: readonly unknown[]) => statuses.filter((status) => status === 200).length

test('limits are exact over all workers, whichever of them is called or ends', { timeout: 300_000 }, async (t) => {
  const installation = {
    ...(await seededInstallation(t)),
    VITRINE_WORKERS: String(workers),
    VITRINE_TRUST_PROXY: 'true',
  }
  const service = await startService(t, installation)
  // In the order of their start, in which the background work is second.
  const serving = workersOf(service).filter((_, at) => at !== 1)
  let clients = 1
  const { storeId } = readDemoKeys(installation.VITRINE_DATA_DIR)
  const newKey = async () => {
    const { key } = await runJson(['key', 'create', '--store', storeId, '--rate-limit', String(limit)], installation)
    return String(key)
  }
  const callAll = async (connections: readonly Call[], key: string, times: number) =>
    (await Promise.all(connections.map((call) => callInTurn(call, key, times)))).flat()

  await t.test('after all workers took blocks, one connection gets the rest of them', () =>
    withinOneMinute(async () => {
      const key = await newKey()
      const connections = openConnections(t, service.url, 2 * workers)
      const first = await callAll(connections, key, 150)
      assert.deepEqual(tallyOf(first), { 200: first.length })
      const last = await callInTurn(connections[0] as Call, key, limit - first.length + 50)
      assert.equal(last.indexOf(429), limit - first.length, 'the first refusal is right after the limit')
      assert.equal(allowedOf(first) + allowedOf(last), limit)
      assert.deepEqual(new Set(await callAll(connections, key, 5)), new Set([429]), 'of every worker')
    }),
  )

  await t.test('parallel guesses of keys are limited over all workers together', () =>
    withinOneMinute(async () => {
      const connections = openConnections(t, service.url, 8 * workers, `192.0.2.${++clients}`)
      const guesses = connections.flatMap((call) => Array.from({ length: 10 }, () => call(`vsk_${randomText(32)}`)))
      const statuses = await Promise.all(guesses)
      const refused = statuses.filter((status) => status === 429).length
      assert.deepEqual([statuses.filter((status) => status === 401).length, refused], [60, statuses.length - 60])
    }),
  )

  await t.test('a worker that is killed takes no call of others with it, and no call beyond the limit is allowed', () =>
    withinOneMinute(async () => {
      const key = await newKey()
      const connections = openConnections(t, service.url, 2 * workers)
      // One after the other, so that each worker gets two: beside others, a worker that is quicker would get more.
      for (const call of connections) await call(key)
      await callAll(connections, key, 19)
      const killed = serving.shift() as number
      const others = workersOf(service).filter((pid) => pid !== killed)
      let lost = 0
      const calling = connections.map(async (call) => {
        const statuses: unknown[] = []
        try {
          while (statuses.length < 130) statuses.push(await call(key))
        } catch {
          lost++
        }
        return statuses
      })
      await connections[0]?.(key)
      process.kill(killed, 'SIGKILL')
      const during = (await Promise.all(calling)).flat()
      assert.equal(allowedOf(during), during.length, 'all answers are good')
      assert.ok(lost > 0 && lost <= connections.length / 2, `${lost} connections were of this worker`)
      await until(() => workersOf(service).length === workers + 1)
      assert.deepEqual(
        workersOf(service).filter((pid) => others.includes(pid)),
        others,
      )
      const [rest] = openConnections(t, service.url, 1)
      const last = await callInTurn(rest as Call, key, limit)
      const allowed = 20 * connections.length + 1 + allowedOf(during) + allowedOf(last)
      assert.equal(last.at(-1), 429)
      assert.ok(allowed <= limit && allowed > limit * 0.8, `${allowed} of ${limit}`)
    }),
  )
})
