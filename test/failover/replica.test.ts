import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/core/clock.ts'
import { mustExist } from '../../src/core/must-exist.ts'
import { connectDb, type Queries } from '../../src/db/database.ts'
import { openReplica } from '../../src/db/replica.ts'
import { newStore, startTestService, withinASecond } from '../harness.ts'
import { newGuest } from '../shoppers.ts'
import { pairFor } from './pair.ts'

type Named = { name: string }

test('catalog reads use the replica while it is up to date, and see every announced change', async (t) => {
  const { primary, standby } = await pairFor(t)
  await primary.run(`alter system set synchronous_standby_names = ''`)
  await primary.run('select pg_reload_conf()')
  const service = await startTestService({ databaseUrl: primary.url, databaseReadUrl: standby.url })
  t.after(() => service.close())
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 10, stock: 5 })
  let asked = 0
  /** A search that is not cached, and the names that it finds. */
  const find = async () => {
    const { status, json, text } = await shop.get(`/v1/products?limit=${(asked++ % 90) + 10}`)
    assert.equal(status, 200, text)
    return json.map(({ name }: Named) => name).sort()
  }
  const scans = async () => {
    const [{ scans: done }] = await standby.run(
      `select sum(coalesce(idx_scan, 0) + coalesce(seq_scan, 0))::integer as scans from pg_stat_user_tables where relname = 'listing'`,
    )
    return Number(done)
  }
  const readsThere = async () => {
    await find()
    return service.logLines.some((line) => line.includes('catalog reads use it'))
  }
  assert.ok(await withinASecond(readsThere))
  assert.ok(
    await withinASecond(async () => {
      await find()
      return (await scans()) > 0
    }),
    'no product was read from the replica',
  )

  // A change is seen although the replica does not have it yet.
  await standby.run('select pg_wal_replay_pause()')
  await shop.add({ name: 'Jug', price: 10, stock: 5 })
  assert.ok(await withinASecond(async () => (await find()).length === 2))
  for (let i = 0; i < 20; i++) assert.deepEqual(await find(), ['Jug', 'Mug'], 'an old answer from the replica')
  // Carts and their stock are never read there.
  const guest = await newGuest(service, shop)
  const { json: jug } = await shop.get('/v1/products/jug')
  const cart = await guest.call('POST', '/v1/cart', { body: { productId: jug.id, quantity: 1 } })
  assert.deepEqual([cart.status, cart.json.items[0].inStock], [201, true])
  await standby.run('select pg_wal_replay_resume()')
  const isUsedAgain = async () => {
    await find()
    const states = service.logLines.filter((line) => line.includes('catalog reads use'))
    return states.at(-1)?.includes('catalog reads use it') ?? false
  }
  assert.ok(await withinASecond(isUsedAgain))

  // One that hangs, and one that dies: every read is answered.
  standby.freeze()
  for (let i = 0; i < 5; i++) assert.deepEqual(await find(), ['Jug', 'Mug'])
  standby.thaw()
  let isUsed = false
  for (let tries = 0; tries < 3 && !isUsed; tries++) isUsed = await withinASecond(isUsedAgain)
  assert.ok(isUsed)
  await standby.kill()
  for (let i = 0; i < 5; i++) assert.deepEqual(await find(), ['Jug', 'Mug'])
})

test('the statements of one request use the replica no longer once a change was announced', async (t) => {
  const { primary, standby } = await pairFor(t)
  await primary.run(`alter system set synchronous_standby_names = ''`)
  await primary.run('select pg_reload_conf()')
  const options = { poolSize: 2, clock: systemClock }
  const own = connectDb({ connection: { connectionString: primary.url }, ...options })
  const replica = mustExist(
    openReplica({
      ...{ databaseReadUrl: standby.url, databasePrepare: true, databasePoolSize: 2, clock: systemClock, primary: own },
      log: { info: () => {}, warn: () => {} },
    }),
    'the replica',
  )
  t.after(() => Promise.all([replica.close(), own.close()]))
  const isAtReplica = async (reads: Queries) =>
    (await reads.one<{ answer: boolean }>`select pg_is_in_recovery() as answer`).answer
  const [storeId, other] = [1, 2]
  let reads: Queries = own
  assert.ok(
    await withinASecond(async () => {
      reads = replica.readsFor(own, storeId)
      return isAtReplica(reads)
    }),
  )
  replica.noteChange(other)
  assert.equal(await isAtReplica(reads), true, 'a change of another store')
  replica.noteChange(storeId)
  assert.equal(await isAtReplica(reads), false)
  assert.ok(await withinASecond(() => isAtReplica(replica.readsFor(own, storeId))))
  assert.equal(await isAtReplica(reads), false, 'a later statement must not see older data than one before it')
})
