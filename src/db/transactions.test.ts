import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { databaseUrl } from '../../test/harness.ts'
import { movableClock } from '../core/clock.ts'
import { Failure } from '../core/errors.ts'
import { connectDb, type Db, sqlState, type Tx } from './database.ts'
import { type Fragment, sql } from './sql.ts'

let tablesMade = 0
/** A database of one connection, with a table of this test's own that holds one row with the value 0. */
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

test('what nobody waits for is done in its turn, and is there when the transaction has ended', async (t) => {
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

test('a statement that nobody waits for undoes its transaction when it fails, and is what is thrown', async (t) => {
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

test('a conflict in a statement that nobody waits for is tried again like any other', async (t) => {
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

test('what a transaction has left to say when it is over is not said on the connection of another', async (t) => {
  const { db, table, read } = await openTable(t)
  const straggler = Promise.withResolvers<unknown>()
  const undone = db.tx(async (tx) => {
    const twoSteps = async () => {
      await add(tx, table, 1)
      await new Promise(setImmediate)
      await add(tx, table, 1)
    }
    twoSteps().then(straggler.reject, straggler.resolve)
    throw new Error('changed its mind')
  })
  await assert.rejects(undone, /changed its mind/)
  assert.match(String(await straggler.promise), /after its transaction had ended/)
  assert.equal(await read(), 0)
})
