import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { databaseUrl } from '../../test/harness.ts'
import { movableClock } from '../core/clock.ts'
import { Failure } from '../core/errors.ts'
import { connectDb, type Db, sqlState, type Tx } from './database.ts'
import { type Fragment, sql } from './sql.ts'

let tablesMade = 0
/** A pool of one connection, and a table of this test that holds one row with the value 0. */
const openTable = async (
  t: TestContext,
  poolSize = 1,
): Promise<{ db: Db; table: Fragment; read(): Promise<number> }> => {
  const db = connectDb({ connection: { connectionString: databaseUrl }, poolSize, clock: movableClock() })
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

const add = (tx: Tx, table: Fragment, amount: number) => tx.run`update ${table} set value = value + ${amount}`

test('a statement passed to `later` runs in order, and is done when the transaction has ended', async (t) => {
  const { db, table, read } = await openTable(t)
  const seen = await db.tx(async (tx) => {
    tx.later(add(tx, table, 1))
    const [, between] = await Promise.all([
      tx.run`update ${table} set value = value * 10`,
      tx.one<{ value: number }>`select value from ${table}`,
      add(tx, table, 5),
    ])
    tx.later(add(tx, table, 2))
    return between.value
  })
  assert.equal(seen, 10)
  assert.equal(await read(), 17)
})

test('a statement passed to `later` that fails rolls back its transaction, which throws its error', async (t) => {
  const { db, table, read } = await openTable(t)
  const last = db.tx(async (tx) => {
    await add(tx, table, 1)
    tx.later(add(tx, table, 500))
  })
  await assert.rejects(last, { code: '23514' })
  const first = db.tx(async (tx) => {
    tx.later(add(tx, table, 500))
    await add(tx, table, 1)
  })
  await assert.rejects(first, { code: '23514' })
  assert.equal(await read(), 0)
})

test('a conflict in a statement passed to `later` is retried like any other', async (t) => {
  const { db } = await openTable(t)
  let attempts = 0
  const conflict = db.tx(async (tx) => {
    attempts++
    tx.later(tx.run`do $$ begin raise exception 'made up' using errcode = '40001'; end $$`)
    await tx.run`select 1`
  })
  await assert.rejects(conflict, (error) => error instanceof Failure && sqlState(error.cause) === '40001')
  assert.equal(attempts, 3)
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
