import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { databaseUrl, newStore, serviceFor, type TestService, withinASecond } from '../../test/harness.ts'
import { distantServiceFor, type Line, openLine } from '../../test/outage.ts'
import { revokeKey } from '../features/stores/stores.ts'
import { listen } from './listen.ts'

let channels = 0
const newChannel = () => `Listen "test" ${process.pid} ${++channels}`

const startListening = async (t: TestContext, line: Line) => {
  const channel = newChannel()
  const heard: string[] = []
  const lost: string[] = []
  const listener = await listen({
    connection: { connectionString: line.url },
    channel,
    onMessage: (payload) => void heard.push(payload),
    onLost: (error) => void lost.push(error.message),
    onReconnect: () => {},
  })
  t.after(() => listener.close())
  return { listener, channel, heard, lost }
}

const announce = async (channel: string, payload: string) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('select pg_notify($1, $2)', [channel, payload])
  await client.end()
}

const until = async (holds: () => boolean) => {
  for (let tries = 0; tries < 10; tries++) if (await withinASecond(async () => holds())) return
  assert.fail('it did not happen')
}

test('a listener receives the messages of its channel and no others', async (t) => {
  const { channel, heard, listener } = await startListening(t, await openLine(t))
  assert.ok(listener.healthy())
  await announce(newChannel(), 'not for us')
  await announce(channel, 'first')
  await announce(channel, '')
  await until(() => heard.length === 2)
  assert.deepEqual(heard, ['first', ''])
})

test('a lost connection is reported at once, and the listener reconnects', async (t) => {
  const line = await openLine(t)
  const { listener, channel, heard, lost } = await startListening(t, line)
  for (let round = 1; round <= 2; round++) {
    await line.cut()
    await until(() => !listener.healthy())
    assert.ok(lost.length >= round)
    await line.mend()
    await until(() => listener.healthy())
    await announce(channel, `round ${round}`)
    await until(() => heard.length === round)
  }
})

test('a first connection that fails is an error and is not retried', async (t) => {
  const line = await openLine(t)
  await line.cut()
  await assert.rejects(startListening(t, line), { code: 'ECONNREFUSED' })
  await line.mend()
  // If the first listener had scheduled a retry, there would be a second connection by now.
  await startListening(t, line)
  await withinASecond(async () => line.connections() > 1)
  assert.equal(line.connections(), 1)
})

test('a listener that is closed while it reconnects leaves no connection', async (t) => {
  const line = await openLine(t)
  const { listener } = await startListening(t, line)
  await line.cut()
  await until(() => !listener.healthy())
  line.silence()
  await line.reopen()
  await until(() => line.connections() > 0)
  await listener.close()
  await line.mend()
  await until(() => line.connections() === 0)
})

test('an instance that loses its listener clears its caches, and receives notifications again afterwards', async (t) => {
  const own = await serviceFor(t)
  const [queries, news] = [await openLine(t), await openLine(t)]
  const distant = await distantServiceFor(t, { lines: { queries, news } })
  const shop = await newStore(own)
  await shop.add({ name: 'Mug', price: 10 })
  const headers = { 'x-store-key': shop.key }
  const namesThere = async () =>
    (await distant.call('/v1/products', { headers })).json.map(({ name }: { name: string }) => name)
  // The notification about the product may arrive after the first answer and invalidate it.
  const cachesAnAnswer = async () => {
    assert.deepEqual(await namesThere(), ['Mug'])
    return (await cachedAnswersOf(distant)) === 1
  }
  assert.ok(await withinASecond(cachesAnAnswer))

  await news.cut()
  await until(() => distant.logLines.some((line) => line.includes('listening connection lost')))
  assert.equal(await cachedAnswersOf(distant), 0)
  await shop.add({ name: 'Jug', price: 10 })
  assert.ok(await withinASecond(async () => (await namesThere()).length === 2))

  await news.mend()
  const listens = async () => (await distant.call('/health')).json.checks.listener === 'ok'
  for (let tries = 0; tries < 10 && !(await withinASecond(listens)); tries++);
  assert.ok(distant.logLines.some((line) => line.includes('listening connection restored')))
  const { id, key } = await shop.newKey()
  const statusThere = async () => (await distant.call('/v1/store', { headers: { 'x-store-key': key } })).status
  assert.equal(await statusThere(), 200)
  await own.db.tx((tx) => revokeKey(tx, id))
  assert.ok(await withinASecond(async () => (await statusThere()) === 401))
})

const cachedAnswersOf = async ({ call }: Pick<TestService, 'call'>) => {
  const [, entries] = /vitrine_answer_cache\{figure="entries"\} (\d+)/.exec((await call('/metrics')).text) ?? []
  return Number(entries)
}
