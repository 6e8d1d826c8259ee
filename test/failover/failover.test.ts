import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDatabase, query, undo } from '../../src/cli/fixture.ts'
import { movableClock } from '../../src/core/clock.ts'
import { Failure } from '../../src/core/errors.ts'
import { connectDb, sqlState } from '../../src/db/database.ts'
import { newStore, startTestService, withinASecond } from '../harness.ts'
import { pairFor } from './pair.ts'

test('the server that accepts writes is found, and another one after it has died', async (t) => {
  const pair = await pairFor(t)
  const { primary, standby } = pair
  // In the wrong order.
  const url = primary.url.replace(primary.host, `${standby.host},${primary.host}`)
  const service = await startTestService({ databaseUrl: url, jobs: null })
  t.after(() => service.close())
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10 })
  const names = async () => {
    const { status, json, headers } = await shop.get('/v1/products')
    if (status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    else assert.equal(status, 200)
    return status === 503 ? [] : json.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await names(), ['Mug'])

  await primary.kill()
  await assert.rejects(shop.add({ name: 'Jug', price: 10 }), { code: 'SERVICE_UNAVAILABLE' })
  // Cached answers are dropped with the connection that listens.
  assert.ok(await withinASecond(async () => (await names()).length === 0))
  assert.equal((await service.call('/health')).status, 503)
  await standby.promote()
  assert.ok(await withinASecond(async () => (await names()).length === 1))

  // Changes are announced again.
  const listens = async () => (await service.call('/health')).json.checks?.listener === 'ok'
  assert.ok(await withinASecond(listens))
  const other = await startTestService({ databaseUrl: url, jobs: null })
  t.after(() => other.close())
  await shop.add({ name: 'Jug', price: 10 })
  const there = async () => (await other.call('/v1/products', { headers: { 'x-store-key': shop.key } })).json.length
  assert.ok(await withinASecond(async () => (await there()) === 2))
})

test('a connection whose server accepts no writes any more is lost, and its caller may try again', async (t) => {
  const url = await newDatabase(t)
  const db = connectDb({ connection: { connectionString: url }, poolSize: 1, clock: movableClock() })
  undo(t, () => db.close())
  const session = async () => (await db.one<{ pid: number }>`select pg_backend_pid() as pid`).pid
  const before = await session()
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  await db.run`set default_transaction_read_only = on`
  await assert.rejects(
    db.run`create table t ()`,
    (error) => error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && sqlState(error.cause) === '25006',
  )
  assert.notEqual(await session(), before)
})
