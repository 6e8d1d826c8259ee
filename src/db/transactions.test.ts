import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { onCluster } from '../../test/cluster.ts'
import { connectionTo } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { openLine } from '../../test/outage.ts'
import { movableClock } from '../core/clock.ts'
import { Failure } from '../core/errors.ts'
import { connectDb, type Db, type Queries, RunAgain, sqlState, type Tx } from './database.ts'
import { pipeline } from './pipeline.ts'
import { type Fragment, sql } from './sql.ts'

let tablesMade = 0
/** A pool of one connection, and a table of this test that holds one row with the value 0. */
const openTable = async (
  t: TestContext,
  poolSize = 1,
): Promise<{ db: Db; table: Fragment; read(): Promise<number> }> => {
  const db = connectDb({ connection: connectionTo(databaseUrl), poolSize, clock: movableClock() })
  const table = sql([`tx_test_${process.pid}_${++tablesMade}`] as unknown as TemplateStringsArray)
  await db.run`create table ${table} (value integer not null check (value < 100))`
  await db.run`insert into ${table} values (0)`
  t.after(async () => {
    await db.run`drop table ${table}`
    await db.close()
  })
  const read = async () => (await db.one<{ value: number }>`select value from ${table}`).value
  return { db, table, read }
}

const add = (tx: Queries, table: Fragment, amount: number) => tx.run`update ${table} set value = value + ${amount}`

test('pipelined statements run in the order in which they are sent', async (t) => {
  const { db, table, read } = await openTable(t)
  const seen = await db.tx(async (tx) => {
    const [, , between] = await pipeline(
      add(tx, table, 1),
      tx.run`update ${table} set value = value * 10`,
      tx.one<{ value: number }>`select value from ${table}`,
      add(tx, table, 5),
    )
    await add(tx, table, 2)
    return between.value
  })
  assert.equal(seen, 10)
  assert.equal(await read(), 17)
})

test('a pipelined statement that fails rolls back its transaction, which throws its error', async (t) => {
  const { db, table, read } = await openTable(t)
  const last = db.tx((tx) => pipeline(add(tx, table, 1), add(tx, table, 500)))
  await assert.rejects(last, { code: '23514' })
  const first = db.tx((tx) => pipeline(add(tx, table, 500), add(tx, table, 1)))
  await assert.rejects(first, { code: '23514' })
  assert.equal(await read(), 0)
})

test('a transaction in which a statement has failed is not taken for committed, though its work caught the error', async (t) => {
  const { db, table, read } = await openTable(t)
  const caught = db.tx(async (tx) => {
    await add(tx, table, 1)
    await add(tx, table, 500).catch(() => {})
  })
  await assert.rejects(caught, { code: '23514' })
  assert.equal(await read(), 0)
})

test('a transaction that fails while a part of it goes on is rolled back, and its connection stays', async (t) => {
  const { db, table, read } = await openTable(t)
  const pid = async () => (await db.one<{ pid: number }>`select pg_backend_pid() as pid`).pid
  const before = await pid()
  const goOn = async (tx: Tx) => {
    await add(tx, table, 1)
    await add(tx, table, 1)
  }
  await assert.rejects(
    db.tx((tx) => pipeline(goOn(tx), add(tx, table, 500))),
    { code: '23514' },
  )
  assert.deepEqual([await pid(), await read()], [before, 0])
})

for (const prepare of [true, false]) {
  const how = prepare ? 'planned for its values' : 'sent behind a pooler'
  test(`a statement that is ${how} is unavailable while its server shuts down`, async (t) => {
    const line = await openLine(t)
    const connection = { connectionString: line.url, prepare }
    const db = connectDb({ connection, poolSize: 1, clock: movableClock(), plansOnce: true })
    t.after(() => db.close())
    const ask = () => (prepare ? db.fresh : db).run`select 1`
    await ask()
    line.shutDown()
    await assert.rejects(ask(), { code: 'SERVICE_UNAVAILABLE' })
    await line.mend()
    assert.equal(await ask(), 1)
  })
}

test('work that throws at once fails alone while the server shuts down: nothing else is left to fail', async (t) => {
  const line = await openLine(t)
  const db = connectDb({ connection: { connectionString: line.url }, poolSize: 1, clock: movableClock() })
  t.after(() => db.close())
  assert.equal(await db.run`select 1`, 1)
  line.shutDown()
  const failed = db.tx(() => {
    throw new Error('the input is wrong')
  })
  await assert.rejects(failed, /the input is wrong/)
  await line.mend()
  assert.equal(await db.run`select 1`, 1)
})

test('a conflict in a pipelined statement is retried like any other', async (t) => {
  const { db } = await openTable(t)
  let attempts = 0
  const conflict = db.tx(async (tx) => {
    attempts++
    await pipeline(tx.run`do $$ begin raise exception 'made up' using errcode = '40001'; end $$`, tx.run`select 1`)
  })
  await assert.rejects(conflict, (error) => error instanceof Failure && sqlState(error.cause) === '40001')
  assert.equal(attempts, 3)
})

test('a statement with the commit runs last, only if the work succeeds', async (t) => {
  const { db, table, read } = await openTable(t)
  await db.tx(async (tx) => {
    tx.withCommit(() => tx.run`update ${table} set value = value * 10`)
    await add(tx, table, 2)
  })
  assert.equal(await read(), 20)
  const failing = db.tx(async (tx) => {
    tx.withCommit(() => add(tx, table, 1))
    throw new Error('made up')
  })
  await assert.rejects(failing, { message: 'made up' })
  assert.equal(await read(), 20)
})

test('a statement with the commit that fails rolls back its transaction, which throws its error', async (t) => {
  const { db, table, read } = await openTable(t)
  let attempts = 0
  const failing = db.tx(async (tx) => {
    attempts++
    await add(tx, table, 1)
    tx.withCommit(() => add(tx, table, 500))
    tx.withCommit(() => add(tx, table, 1))
  })
  await assert.rejects(failing, { code: '23514' })
  assert.deepEqual([attempts, await read()], [1, 0])
  await db.tx((tx) => add(tx, table, 3))
  assert.equal(await read(), 3)
})

test('a transaction throws the first failure, also when those that follow from it are noticed earlier', async (t) => {
  const { db, table } = await openTable(t)
  const failing = db.tx(async (tx) => {
    tx.withCommit(async () => {
      const changed = add(tx, table, 500)
      await changed.catch(() => setTimeout(10))
      return changed
    })
    tx.withCommit(() => add(tx, table, 1))
  })
  await assert.rejects(failing, { code: '23514' })
})

test('with plansOnce, a statement is planned for any values, and through `fresh` for its own', async (t) => {
  // Directly, because a pooler keeps no settings of a session.
  const connection = { connectionString: databaseUrl }
  const db = connectDb({ connection, poolSize: 1, clock: movableClock(), plansOnce: true })
  t.after(() => db.close())
  const read = (queries: Queries) => queries.one<{ mode: string }>`select current_setting('plan_cache_mode') as mode`
  // A cluster has to know the store first.
  const usual = onCluster ? 'auto' : 'force_generic_plan'
  assert.equal((await read(db)).mode, usual)
  assert.equal((await read(db.fresh)).mode, 'force_custom_plan')
  await assert.rejects(db.fresh.run`select 1 / 0`, { code: '22012' })
  assert.equal((await read(db)).mode, usual)
  await db.tx(async (tx) => assert.equal((await read(tx)).mode, usual))
})

test('a service waits for locks as long as it may, also behind a pooler that has changed the session', async (t) => {
  const read = (queries: Queries) => queries.one<{ limit: string }>`select current_setting('lock_timeout') as limit`
  const options = { poolSize: 1, clock: movableClock(), plansOnce: true, lockTimeoutMs: 700 }
  const direct = connectDb({ connection: { connectionString: databaseUrl }, ...options })
  t.after(() => direct.close())
  assert.deepEqual(await direct.tx(read), { limit: '700ms' })
  assert.deepEqual(await read(direct), { limit: '700ms' })
  const pooled = connectDb({ connection: { connectionString: databaseUrl, isPooler: true }, ...options })
  t.after(() => pooled.close())
  await pooled.run`reset lock_timeout`
  assert.deepEqual(await pooled.tx(read), { limit: '700ms' })
  for (const db of [direct, pooled]) {
    const quick = await db.quickTx<{ limit: string }>(read, () => assert.fail('there was an answer'))
    assert.deepEqual(quick, { limit: '700ms' })
  }
})

test('a quick write that did nothing, or must be run again, is done in a transaction', async (t) => {
  const { db, table, read } = await openTable(t)
  const work = async (tx: Tx) => {
    await add(tx, table, 10)
    return 'by the transaction'
  }
  assert.equal(await db.quickTx(async () => undefined, work), 'by the transaction')
  assert.equal(await read(), 10)
  const conflict = async () => {
    throw new RunAgain(new Error('another came in between'))
  }
  assert.equal(await db.quickTx(conflict, work), 'by the transaction')
  assert.equal(await read(), 20)
  const done = await db.quickTx(
    async (queries) => {
      await add(queries, table, 1)
      return 'at once'
    },
    () => assert.fail('it was done'),
  )
  assert.equal(done, 'at once')
  assert.equal(await read(), 21)
  await assert.rejects(
    db.quickTx(
      (queries) => queries.run`select 1 / 0`,
      () => assert.fail('this is no conflict'),
    ),
    { code: '22012' },
  )
})

test('a statement sent after its transaction has ended does not run on the connection of another', async (t) => {
  const { db, table, read } = await openTable(t)
  const straggler = Promise.withResolvers<unknown>()
  const undone = db.tx(async (tx) => {
    const twoSteps = async () => {
      await add(tx, table, 1)
      await new Promise(setImmediate)
      await add(tx, table, 1)
    }
    twoSteps().then(straggler.reject, straggler.resolve)
    throw new Error('stopped early')
  })
  await assert.rejects(undone, /stopped early/)
  assert.match(String(await straggler.promise), /after its transaction had ended/)
  assert.equal(await read(), 0)
})

test('a reference to a row that is being deleted is tried again, and then refused as unavailable', async (t) => {
  const { db, table } = await openTable(t)
  await db.run`alter table ${table} add unique (value)`
  const [parent] = table.strings
  const child = sql([`${parent}_child`] as unknown as TemplateStringsArray)
  await db.run`create table ${child} (value integer not null references ${table} (value))`
  let attempts = 0
  const refer = (value: number) =>
    db.tx(async (tx) => {
      attempts++
      if (attempts === 3 && value === 7) await tx.run`insert into ${table} values (7)`
      await tx.run`insert into ${child} values (${value})`
    })
  await assert.rejects(refer(50), (error) => error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE')
  assert.equal(attempts, 3)
  attempts = 0
  await refer(7)
  assert.equal(attempts, 3)
  await db.run`drop table ${child}`
})

test('a request that has waited as long as it may is refused at its next wait, before those that came earlier', async (t) => {
  const connection = { connectionString: databaseUrl }
  const hold = Promise.withResolvers<void>()
  // Also if this test fails, because the pool cannot be closed before.
  t.after(() => hold.resolve())
  const db = connectDb({ connection, poolSize: 1, clock: movableClock(), maxWaitMs: 200 })
  t.after(() => db.close())
  const holder = db.tx(() => hold.promise)
  const newRequest = () => db.forStore(1, () => () => {})
  const refused: string[] = []
  const isRefused = (name: string, request: Db) =>
    assert.rejects(request.run`select 1`, { code: 'SERVICE_UNAVAILABLE' }).then(() => refused.push(name))
  const request = newRequest()
  await isRefused('first', request)
  await Promise.all([isRefused('other', newRequest()), isRefused('first again', request)])
  assert.deepEqual(refused, ['first', 'first again', 'other'])
  hold.resolve()
  await holder
})
