import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectionTo } from '../../test/databases.ts'
import { databaseUrl, newStore, startTestService } from '../../test/harness.ts'
import { distantServiceFor, openLine } from '../../test/outage.ts'
import { days, movableClock } from '../core/clock.ts'
import { Failure, fail } from '../core/errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import { connectDb, type Db, sqlState } from './database.ts'
import type { DbOptions } from './options.ts'
import { type Fragment, sql } from './sql.ts'

/** `isDirect`: without the pooler, for tests that tell sessions apart. */
type Options = Partial<DbOptions> & { url?: string; timeoutMs?: number; isDirect?: boolean }

const openDb = (
  t: TestContext,
  { url = databaseUrl, timeoutMs = 10_000, isDirect = false, ...options }: Options = {},
): Db => {
  const server = isDirect ? { connectionString: url } : connectionTo(url)
  const connection = { ...server, query_timeout: timeoutMs, connectionTimeoutMillis: timeoutMs }
  const db = connectDb({ poolSize: 4, clock: movableClock(), ...options, connection })
  t.after(() => db.close())
  return db
}

let tablesMade = 0
/** A table in a schema that no other test uses. */
const newTable = async (t: TestContext, db: Db): Promise<Fragment> => {
  const schema = sql([`db_test_${process.pid}_${++tablesMade}`] as unknown as TemplateStringsArray)
  await db.run`create schema ${schema}`
  await db.run`create table ${schema}.row (id integer primary key, value integer not null)`
  await db.run`insert into ${schema}.row values (1, 0), (2, 0)`
  const cleaner = connectDb({ connection: connectionTo(databaseUrl), poolSize: 1, clock: movableClock() })
  t.after(async () => {
    await cleaner.run`drop schema ${schema} cascade`
    await cleaner.close()
  })
  return sql`${schema}.row`
}

const valuesIn = async (db: Db, table: Fragment) =>
  (await db.many<{ value: number }>`select value from ${table} order by id`).map(({ value }) => value)

const isUnavailable = (error: unknown) => {
  assert.ok(error instanceof Failure, String(error))
  assert.equal(error.code, 'SERVICE_UNAVAILABLE')
  assert.match(error.headers['retry-after'] ?? '', /^\d+$/)
  return true
}

test('a transaction that throws is rolled back, and its connection is used again', async (t) => {
  const db = openDb(t, { poolSize: 1 })
  const table = await newTable(t, db)
  const failing = db.tx(async (tx) => {
    await tx.run`update ${table} set value = 9`
    throw fail('CONFLICT')
  })
  await assert.rejects(failing, { code: 'CONFLICT' })
  assert.deepEqual(await valuesIn(db, table), [0, 0])
  await db.tx((tx) => tx.run`update ${table} set value = 5 where id = 1`)
  assert.deepEqual(await valuesIn(db, table), [5, 0])
  assert.equal(db.poolState().total, 1)
})

test('an error thrown in a transaction is passed on unchanged and keeps its connection, whatever its message', async (t) => {
  const db = openDb(t, { poolSize: 1, isDirect: true })
  const session = async () => (await db.one<{ pid: number }>`select pg_backend_pid() as pid`).pid
  const before = await session()
  const refusals = [
    new OperatorError('The store has no product extended-lamp.'),
    new Error('the connection was terminated, timed out and is not queryable'),
    fail('SERVICE_UNAVAILABLE', 'This store takes no payments online.'),
  ]
  for (const refusal of refusals) {
    const refused = db.tx(async (tx) => {
      await tx.run`select 1`
      throw refusal
    })
    await assert.rejects(refused, (error) => error === refusal)
    assert.equal(await session(), before)
  }
})

test('a lock timeout is 503, rolls back the transaction and keeps the connection', async (t) => {
  const db = openDb(t, { poolSize: 1, lockTimeoutMs: 50, isDirect: true })
  const holder = openDb(t, { poolSize: 1 })
  const table = await newTable(t, holder)
  const session = async () => (await db.one<{ pid: number }>`select pg_backend_pid() as pid`).pid
  const before = await session()
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = holder.tx(async (tx) => {
    await tx.run`update ${table} set value = 1 where id = 1`
    held.resolve()
    await release.promise
  })
  await held.promise
  const blocked = db.tx(async (tx) => {
    await tx.run`update ${table} set value = 7 where id = 2`
    await tx.run`update ${table} set value = 7 where id = 1`
  })
  await assert.rejects(blocked, (error) => isUnavailable(error) && sqlState((error as Failure).cause) === '55P03')
  assert.equal(await session(), before)
  release.resolve()
  await holding
  assert.deepEqual(await valuesIn(db, table), [1, 0])
})

test('a failed statement rolls back the transaction', async (t) => {
  const db = openDb(t)
  const table = await newTable(t, db)
  const failing = db.tx(async (tx) => {
    await tx.run`update ${table} set value = 9`
    await tx.run`insert into ${table} values (1, 1)`
  })
  await assert.rejects(failing, { code: '23505' })
  assert.deepEqual(await valuesIn(db, table), [0, 0])
})

test('a failed assertion in a transaction is an internal error and not an outage', async (t) => {
  const db = openDb(t)
  const table = await newTable(t, db)
  const failing = db.tx(async (tx) => {
    await tx.run`update ${table} set value = 9`
    assert.ok(false, 'the impossible')
  })
  await assert.rejects(failing, { code: 'ERR_ASSERTION' })
  assert.deepEqual(await valuesIn(db, table), [0, 0])
})

test('two transactions that deadlock both succeed in the end', async (t) => {
  const db = openDb(t)
  const table = await newTable(t, db)
  let attempts = 0
  const bothHoldOne = Promise.withResolvers<void>()
  let holding = 0
  const addToBoth = (first: number, second: number) =>
    db.tx(async (tx) => {
      attempts++
      await tx.run`update ${table} set value = value + 1 where id = ${first}`
      if (++holding === 2) bothHoldOne.resolve()
      await bothHoldOne.promise
      await tx.run`update ${table} set value = value + 1 where id = ${second}`
    })
  await Promise.all([addToBoth(1, 2), addToBoth(2, 1)])
  assert.ok(attempts > 2, 'the transaction that was rolled back was run again')
  assert.deepEqual(await valuesIn(db, table), [2, 2])
})

test('a transaction that conflicts every time fails after three attempts', async (t) => {
  const db = openDb(t)
  let attempts = 0
  const conflict = db.tx(async (tx) => {
    attempts++
    await tx.run`do $$ begin raise exception 'made up' using errcode = '40001'; end $$`
  })
  await assert.rejects(conflict, (error) => isUnavailable(error) && sqlState((error as Failure).cause) === '40001')
  assert.equal(attempts, 3)
})

test('a statement that takes too long is cancelled, and the caller may try again', async (t) => {
  const db = openDb(t, { statementTimeoutMs: 100, poolSize: 1 })
  const wasCancelledByTheServer = (error: unknown) =>
    isUnavailable(error) && sqlState((error as Failure).cause) === '57014'
  await assert.rejects(db.run`select pg_sleep(30)`, wasCancelledByTheServer)
  const inTransaction = db.tx((tx) => tx.run`select pg_sleep(30)`)
  await assert.rejects(inTransaction, wasCancelledByTheServer)
  assert.deepEqual(await db.one`select 1 as one`, { one: 1 })
})

test('a request is refused at once when too many already wait for a connection', async (t) => {
  const db = openDb(t, { poolSize: 1, maxWaiting: 2 })
  const table = await newTable(t, db)
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = db.tx(async () => {
    held.resolve()
    await release.promise
  })
  await held.promise
  const waiting = [valuesIn(db, table), valuesIn(db, table)]
  while (db.poolState().waiting < 2) await new Promise(setImmediate)
  await assert.rejects(valuesIn(db, table), isUnavailable)
  release.resolve()
  await holding
  for (const values of await Promise.all(waiting)) assert.deepEqual(values, [0, 0])
})

test('a database that refuses, disconnects or stops answering is unavailable, and is used again when it is back', async (t) => {
  const line = await openLine(t)
  const db = openDb(t, { url: line.url, isDirect: true, timeoutMs: 500, poolSize: 2 })
  const works = async () => assert.deepEqual(await db.one`select 1 as one`, { one: 1 })
  await works()

  await line.cut()
  await assert.rejects(db.run`select 1`, isUnavailable)
  await line.mend()
  await works()

  const broken = db.tx(async (tx) => {
    await tx.run`select 1`
    await line.cut()
    await tx.run`select 1`
  })
  await assert.rejects(broken, isUnavailable)
  await line.mend()
  await works()

  line.silence()
  await assert.rejects(db.run`select 1`, isUnavailable)
  await assert.rejects(
    db.tx((tx) => tx.run`select 1`),
    isUnavailable,
  )
  await line.mend()
  await works()
  assert.ok(db.poolState().total <= 2)
})

test('a connection that breaks while its clock is set leaves the pool usable', async (t) => {
  const line = await openLine(t)
  const clock = movableClock()
  const db = openDb(t, { url: line.url, isDirect: true, timeoutMs: 1_000, poolSize: 1, clock })
  await db.run`select 1`
  line.silence()
  clock.advance(1_000)
  await assert.rejects(db.run`select 1`, isUnavailable)
  await line.mend()
  assert.deepEqual(await db.one`select 1 as one`, { one: 1 })
})

test('a service without its database answers 503 at once, never 500, and recovers by itself', async (t) => {
  const own = await startTestService()
  t.after(() => own.close())
  const line = await openLine(t)
  const distant = await distantServiceFor(t, { lines: { queries: line } })
  const shop = await newStore(own)
  await shop.add({ name: 'Mug', price: 10 })
  const ask = (i: number) =>
    distant.call(`/v1/products?limit=${(i % 100) + 1}`, { headers: { 'x-store-key': shop.key } })
  const pending = Array.from({ length: 40 }, (_, i) => ask(i))
  await pending[0]
  await line.cut()
  const answers = await Promise.all([...pending, ...Array.from({ length: 40 }, (_, i) => ask(50 + i))])
  const unavailable = answers.filter(({ status }) => status === 503)
  assert.ok(unavailable.length >= 40 - 1)
  for (const { status } of answers) assert.ok(status === 200 || status === 503, `${status}`)
  for (const { json, headers } of unavailable) {
    assert.deepEqual(Object.keys(json).sort(), ['code', 'error'])
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  await line.mend()
  assert.equal((await ask(99)).status, 200)
})

test('the database follows a moved clock on every connection, inside and outside transactions', async (t) => {
  const clock = movableClock()
  const db = openDb(t, { clock, poolSize: 3 })
  const drift = async (queries: Pick<Db, 'one'>) => {
    const { at } = await queries.one<{ at: Date }>`select vitrine_now() as at`
    return Math.abs(at.getTime() - clock.now())
  }
  for (const step of [0, days(7), days(-30), days(23)]) {
    clock.advance(step)
    const drifts = await Promise.all([drift(db), drift(db), drift(db), db.tx((tx) => drift(tx))])
    // A minute is far more than the statements take, and far less than a step.
    for (const ms of drifts) assert.ok(ms < 60_000, `${ms} ms apart`)
  }
})

test('`one` fails unless there is exactly one row, and `maybeOne` may find none', async (t) => {
  const db = openDb(t)
  await assert.rejects(db.one`select 1 where false`, /expected one row, got 0/)
  await assert.rejects(db.one`select generate_series(1, 2)`, /expected one row, got 2/)
  assert.equal(await db.maybeOne`select 1 where false`, undefined)
})

test('bigint values arrive as numbers', async (t) => {
  const db = openDb(t)
  assert.deepEqual(await db.one`select 9007199254740991::bigint as big, count(*) as none from generate_series(1, 0)`, {
    big: 9007199254740991,
    none: 0,
  })
})

test('values never become part of the SQL text', async (t) => {
  const db = openDb(t)
  const table = await newTable(t, db)
  const hostile = `1'; drop table ${'row'}; --`
  const nested = sql`value = ${7} or ${hostile} = ${'x'}`
  assert.deepEqual(await db.many`select id from ${table} where ${nested} and id = ${1}`, [])
  assert.deepEqual(await db.one`select ${hostile}::text as given`, { given: hostile })
})

test('onStatement reports each statement as it is sent', async (t) => {
  const db = openDb(t)
  const seen: string[] = []
  const stop = db.onStatement((text) => void seen.push(text))
  await db.tx((tx) => tx.run`select ${1}::int`)
  stop()
  await db.run`select 2`
  assert.deepEqual(seen, ['begin', 'select $1::int', 'commit'])
})
