import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { noPlans } from '../../test/cluster.ts'
import { runSql } from '../../test/databases.ts'
import { newStore } from '../../test/harness.ts'
import { days, hours, minutes } from '../core/clock.ts'
import type { Tx } from '../db/database.ts'
import { deleteBatchSize } from '../db/due-rows.sql.ts'
import { holdGuest } from '../features/access/guests.ts'
import { maxKeysPerStore } from '../features/access/idempotency.ts'
import type { Guest, ShopperCtx } from '../features/context.ts'
import { listJobKinds } from '../job-kinds.ts'
import { cleanupTables, countAll, fill, newRunner, serviceAlone, tables } from './fixture.ts'
import type { JobKind } from './job-kind.ts'

/** A database with rows in every table that has a cleanup job. */
const newScene = async (t: TestContext, rows = 3) => {
  const { service, url } = await serviceAlone(t)
  // Noon of tomorrow, so that no test crosses midnight.
  service.clock.advance(days(1) - (Date.now() % days(1)) + hours(12))
  const startMs = service.clock.offsetMs()
  const made = await fill(service, rows)
  return {
    ...made,
    service,
    url,
    /** Moves the clock to `ms` after the rows were created. */
    goTo: (ms: number) => service.clock.advance(startMs + ms - service.clock.offsetMs()),
    /** Runs every due job on a new instance. */
    cleanUp: async () => {
      const runner = newRunner(service)
      await runner.runDue()
      assert.deepEqual(runner.failures, [])
    },
    cleanupKinds: () => listJobKinds(service.app.services, service.db).filter(({ name }) => name in cleanupTables),
  }
}

test('rows are deleted after they expire, and not before', async (t) => {
  const { goTo, cleanUp, url } = await newScene(t)
  const steps: [afterMs: number, ...deleted: string[]][] = [
    [0],
    [minutes(4)],
    [minutes(6), 'otp_request'],
    [minutes(14)],
    [minutes(16), 'sign_in_failure'],
    [minutes(29)],
    [minutes(31), 'mail_token'],
    [minutes(59)],
    [minutes(61), 'one_time_code'],
    [hours(23)],
    [hours(25), 'kept_answer'],
    [hours(47)],
    [hours(49), 'otp_hour'],
    [days(7) - hours(1)],
    [days(7) + hours(1), 'session'],
    [days(30) - hours(1)],
    [days(30) + hours(1), 'mail', 'webhook_attempt', 'webhook_delivery', 'event'],
    [days(31), 'cart', 'cart_item'],
    [days(32), 'wishlist_item', 'guest'],
    [days(179)],
    [days(181), 'payment_event', 'delivery_event'],
  ]
  const expected = Object.fromEntries(tables.map((table) => [table, 3]))
  for (const [afterMs, ...deleted] of steps) {
    goTo(afterMs)
    await cleanUp()
    for (const table of deleted) expected[table] = 0
    assert.deepEqual(await countAll(url), expected, `after ${afterMs / hours(1)} hours`)
  }
})

const tableOf = ({ name }: JobKind<unknown>) => cleanupTables[name as keyof typeof cleanupTables]

test('a cleanup job deletes one batch at a time, however much is due', async (t) => {
  const { goTo, cleanUp, cleanupKinds, url, storeId } = await newScene(t, deleteBatchSize + 20)
  goTo(days(200))
  for (const kind of cleanupKinds()) {
    const table = tableOf(kind)
    await kind.findDue()
    for (const batch of await kind.claim(storeId, 10)) {
      await kind.run(batch, AbortSignal.timeout(30_000), () => false)
    }
    assert.equal((await countAll(url))[table], 20, kind.name)
  }
  await cleanUp()
  for (const [table, count] of Object.entries(await countAll(url))) assert.equal(count, 0, table)
})

test('a store keeps its newest idempotency keys up to the limit, and other stores keep theirs', async (t) => {
  const { service, cleanUp, url } = await newScene(t, 3)
  const { id } = await (await newStore(service)).load()
  const surplus = deleteBatchSize + 7
  const { now } = await service.db.one<{ now: Date }>`select vitrine_now() as now`
  await runSql(
    url,
    `insert into kept_answer (store_id, shopper, route, key, body_hash, created_at)
    select ${id}, 'guest ' || n, 'addToCart', 'k' || n, '', '${now.toISOString()}'::timestamptz - n * interval '1 ms'
    from generate_series(1, ${maxKeysPerStore + surplus}) n`,
  )
  await cleanUp()
  const { kept, oldest, others } = await service.db.one<{ kept: number; oldest: number; others: number }>`
    select count(*) filter (where store_id = ${id}) as kept, count(*) filter (where store_id <> ${id}) as others,
      max(substr(key, 2)::integer) filter (where store_id = ${id}) as oldest from kept_answer`
  assert.deepEqual({ kept, oldest, others }, { kept: maxKeysPerStore, oldest: maxKeysPerStore, others: 3 })
})

test('instances that clean up at the same time share the work without a failure', async (t) => {
  const { goTo, cleanUp, url } = await newScene(t, 3 * deleteBatchSize)
  goTo(days(200))
  await Promise.all([cleanUp(), cleanUp(), cleanUp()])
  // An instance skips rows that another has locked, and a guest is deleted after their carts and wishlist.
  await cleanUp()
  for (const [table, count] of Object.entries(await countAll(url))) assert.equal(count, 0, table)
})

test('a cleanup job never waits for a lock: it skips locked rows and deletes them later', async (t) => {
  const { goTo, cleanUp, url, storeId } = await newScene(t)
  goTo(days(200))
  const locked = tables.filter((table) => table !== 'cart_item')
  const user = new pg.Client({ connectionString: url })
  await user.connect()
  try {
    await user.query('begin')
    for (const table of locked) {
      const ofStore = `${table} where store_id = ${storeId}`
      await user.query(`select from ${ofStore} and ctid = (select ctid from ${ofStore} limit 1) for update`)
    }
    await cleanUp()
    for (const [table, count] of Object.entries(await countAll(url))) assert.equal(count, 1, table)
  } finally {
    await user.end()
  }
  await cleanUp()
  for (const [table, count] of Object.entries(await countAll(url))) assert.equal(count, 0, table)
})

test('a guest who writes during a cleanup is not deleted', async (t) => {
  const { service, goTo, cleanUp, url, storeId } = await newScene(t, 1)
  goTo(days(200))
  await service.db.tx(async (tx: Tx) => {
    const guest: Guest = { kind: 'guest', guestId: 'g1', isNew: false }
    await holdGuest(tx, { store: { id: storeId }, shopper: guest } as ShopperCtx<Guest>)
    await cleanUp()
  })
  await cleanUp()
  const { guest, wishlist_item } = await countAll(url)
  assert.deepEqual({ guest, wishlist_item }, { guest: 1, wishlist_item: 1 })
})

test('a guest with a cart that has not expired is kept, with their wishlist', async (t) => {
  const { service, goTo, cleanUp, url } = await newScene(t)
  goTo(days(200))
  await service.db.run`update cart set sweep_on = vitrine_now()::date where id = 'c2'`
  await cleanUp()
  const left = await countAll(url)
  assert.deepEqual([left.cart, left.cart_item, left.guest, left.wishlist_item], [1, 1, 1, 1])
  assert.deepEqual(await runSql(url, 'select id from guest'), [{ id: 'g2' }])
})

test('a merged guest is kept for as long as one of their tokens could be valid', async (t) => {
  const { service, goTo, cleanUp, url } = await newScene(t)
  goTo(days(29))
  await service.db.run`delete from cart`
  await service.db.run`delete from wishlist_item`
  await service.db.run`update guest set merged_at = vitrine_now() where id = 'g1'`
  goTo(days(59))
  await cleanUp()
  assert.deepEqual(await runSql(url, 'select id from guest'), [{ id: 'g1' }])
  goTo(days(61))
  await cleanUp()
  assert.deepEqual(await runSql(url, 'select id from guest'), [])
})

test('carts and wishlists of customers are never deleted', async (t) => {
  const { service, goTo, cleanUp, url } = await newScene(t, 1)
  await service.db.run`update cart set guest_id = null, customer_id = 'cus_1', sweep_on = null`
  await service.db.run`update wishlist_item set guest_id = null, customer_id = 'cus_1'`
  goTo(days(4000))
  await cleanUp()
  const { cart, cart_item, wishlist_item, guest } = await countAll(url)
  assert.deepEqual({ cart, cart_item, wishlist_item, guest }, { cart: 1, cart_item: 1, wishlist_item: 1, guest: 0 })
})

test('an event that could not be applied is kept', async (t) => {
  const { service, goTo, cleanUp, url } = await newScene(t)
  await service.db.run`update payment_event set outcome = 'unknown_order' where event_id = '1'`
  await service.db.run`update payment_event set outcome = 'mismatch' where event_id = '2'`
  await service.db.run`update delivery_event set outcome = 'unmatched' where event_id = '1'`
  goTo(days(4000))
  await cleanUp()
  const { payment_event, delivery_event } = await countAll(url)
  assert.deepEqual({ payment_event, delivery_event }, { payment_event: 2, delivery_event: 1 })
})

for (const [state, afterMs] of [
  ['nothing is due', 0],
  ['everything is due', days(200)],
] as const) {
  test(`due rows are found by indexes when ${state}`, noPlans, async (t) => {
    const { service, url, cleanupKinds } = await newScene(t, 4000)
    for (const table of tables) await runSql(url, `analyze ${table}`)
    for (const kind of cleanupKinds()) {
      // Rows are kept for two days, and only for stores with a cap: a sequential scan is cheap.
      if (kind.name === 'otp-count-cleanup') continue
      let text = ''
      const stop = service.db.onStatement((sent) => {
        text = sent
      })
      assert.deepEqual(await kind.findDue(), [])
      stop()
      const offset = `set vitrine.clock_offset = '${service.clock.offsetMs() + afterMs} milliseconds'`
      const plan = await explain(url, offset, text)
      assert.doesNotMatch(plan, /Seq Scan/, `${kind.name}\n${plan}`)
    }
  })
}

const explain = async (url: string, setting: string, text: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(setting)
    const withValues = text.replaceAll(/\$\d+::integer\[\]/g, "'{}'::integer[]").replaceAll(/\$\d+/g, '86400000')
    const { rows } = await client.query(`explain ${withValues}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.end()
  }
}
