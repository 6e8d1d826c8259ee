import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectionTo } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { movableClock } from '../core/clock.ts'
import { checkFirst } from './check-first.ts'
import { connectDb, type Db, type Queries } from './database.ts'
import { type Fragment, sql } from './sql.ts'

class Refused extends Error {}

let tablesMade = 0
/** A table with one row, and a check of another row, which `close` removes. */
const openChecked = async (t: TestContext) => {
  const plain = connectDb({ connection: connectionTo(databaseUrl), poolSize: 2, clock: movableClock() })
  const name = `check_test_${process.pid}_${++tablesMade}`
  const [table, door] = [name, `${name}_door`].map((text) => sql([text] as unknown as TemplateStringsArray)) as [
    Fragment,
    Fragment,
  ]
  await plain.run`create table ${table} (value integer not null)`
  await plain.run`insert into ${table} values (0)`
  await plain.run`create table ${door} (open boolean)`
  await plain.run`insert into ${door} values (true)`
  t.after(async () => {
    await plain.run`drop table ${table}, ${door}`
    await plain.close()
  })
  let asked = 0
  const check = {
    ask: async (queries: Queries) => {
      asked++
      if ((await queries.maybeOne`select from ${door} where open`) === undefined) throw new Refused()
    },
    condition: sql`exists (select from ${door} where open)`,
  }
  const add = (queries: Queries, amount: number) =>
    queries.one<{ value: number }>`update ${table} set value = value + ${amount} returning value`
  const addIf = (queries: Queries, amount: number, condition: Fragment) =>
    queries.maybeOne<{ value: number }>`
      update ${table} set value = value + ${amount} where ${condition} returning value`
  return {
    plain,
    open: () => checkFirst(plain, check),
    asked: () => asked,
    add,
    addIf,
    close: () => plain.run`update ${door} set open = false`,
    read: async () => (await plain.one<{ value: number }>`select value from ${table}`).value,
  }
}

type Opened = Awaited<ReturnType<typeof openChecked>>

/** What a database is used for. Each adds one. */
const uses: Record<string, (db: Db, opened: Opened) => Promise<unknown>> = {
  'a statement': (db, { add }) => add(db, 1),
  'a statement behind a read': async (db, { add }) => {
    await db.one`select 1`
    return add(db, 1)
  },
  'a fresh statement': (db, { add }) => add(db.fresh, 1),
  'a transaction': (db, { add }) => db.tx((tx) => add(tx, 1)),
  'a transaction that sends its commit with its work': (db, { add }) =>
    db.tx(async (tx) => {
      tx.withCommit(async () => (await add(tx, 1)).value)
      return 1
    }),
  'a transaction behind a statement': (db, { add }) =>
    db.txAfter(
      (queries) => queries.one<{ two: number }>`select 2 as two`,
      async (tx, two) => add(tx, (await two).two - 1),
    ),
  'a quick transaction': (db, { add, addIf }) =>
    db.quickTx(
      (queries, condition) => addIf(queries, 1, condition),
      (tx) => add(tx, 1),
    ),
  'a quick transaction that did nothing': (db, { add }) =>
    db.quickTx(
      async () => undefined,
      (tx) => add(tx, 1),
    ),
  'a queue': (db, { add }) =>
    db
      .inQueue('one')
      .inQueue('other')
      .tx((tx) => add(tx, 1)),
  'one connection': (db, { add }) => db.onOneConnection((queries) => add(queries, 1)),
}

for (const [name, use] of Object.entries(uses)) {
  test(`${name} is done only if the check is true, whose failure is thrown`, async (t) => {
    const opened = await openChecked(t)
    const { db } = opened.open()
    await use(db, opened)
    await use(db, opened)
    assert.equal(await opened.read(), 2)
    await opened.close()
    const { db: late, confirm } = opened.open()
    await assert.rejects(use(late, opened), Refused)
    await assert.rejects(use(late, opened), Refused, 'again')
    await assert.rejects(confirm(), Refused)
    assert.equal(await opened.read(), 2)
    // Once it was true it is not asked again.
    await use(db, opened)
    assert.equal(await opened.read(), 3)
  })
}

test('the failure of the check comes before that of the work, and the work is undone', async (t) => {
  const opened = await openChecked(t)
  await opened.close()
  const { db } = opened.open()
  const failing = () => Promise.reject(new Error('the input is wrong'))
  await assert.rejects(db.tx(failing), Refused)
  const throwing = () => {
    throw new Error('the input is wrong, and there is no promise')
  }
  await assert.rejects(db.tx(throwing), Refused)
  await assert.rejects(
    db.txAfter(async () => 1, throwing),
    Refused,
  )
  await assert.rejects(
    db.quickTx(async () => undefined, failing),
    Refused,
  )
  await assert.rejects(db.many`select 1 / 0`, Refused)
  const slow = db.tx(async (tx) => {
    for (let i = 0; i < 5; i++) await opened.add(tx, 1)
  })
  await assert.rejects(slow, Refused)
  assert.equal(await opened.read(), 0)
})

test('the check is asked once, and by a quick statement not at all', async (t) => {
  const opened = await openChecked(t)
  const { db, confirm } = opened.open()
  await db.quickTx(
    (queries, condition) => opened.addIf(queries, 1, condition),
    () => assert.fail('it was done'),
  )
  await confirm()
  await db.one`select 1`
  assert.equal(opened.asked(), 0)
  const other = opened.open()
  await other.db.one`select 1`
  await other.db.tx((tx) => opened.add(tx, 1))
  await other.confirm()
  assert.equal(opened.asked(), 1)
})

test('a quick statement without its condition is refused before it is sent', async (t) => {
  const opened = await openChecked(t)
  const { db } = opened.open()
  const unconditional = db.quickTx(
    (queries) => opened.add(queries, 1),
    () => assert.fail('the statement failed'),
  )
  await assert.rejects(unconditional, /must have its condition/)
  assert.equal(await opened.read(), 0)
})

test('everything that is used at the same time waits for the check', async (t) => {
  const opened = await openChecked(t)
  await opened.close()
  const { db } = opened.open()
  const results = await Promise.allSettled([opened.add(db, 1), db.tx((tx) => opened.add(tx, 1)), db.many`select 1`])
  assert.ok(results.every((result) => result.status === 'rejected' && result.reason instanceof Refused))
  assert.equal(await opened.read(), 0)
})
