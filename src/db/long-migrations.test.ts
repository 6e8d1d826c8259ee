import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, newDatabase, query, until } from '../cli/fixture.ts'
import { OperatorError } from '../core/operator-error.ts'
import { examineSchema, type MigrateOptions, migrate } from './migrate.ts'
import { readMigration } from './migration-files.ts'

const rows = 25

const first = readMigration(
  '0001_first.sql',
  `-- oldest version beside: 1.0.0
  create table item (id integer primary key, mark integer not null default 0);
  insert into item (id) select n from generate_series(1, ${rows}) n`,
)
const index = readMigration(
  '0002_index.sql',
  `-- oldest version beside: 1.0.0
-- runs: concurrently
create index concurrently item_by_mark on item (mark, id);

create index concurrently if not exists item_by_id on item
  (id desc);
`,
)
const backfill = readMigration(
  '0003_backfill.sql',
  `-- oldest version beside: 1.0.0
-- runs: in batches
with batch as (select id from item where id > coalesce($1::integer, 0) order by id limit 10),
  changed as (update item set mark = mark + 1 from batch where item.id = batch.id)
select max(id)::text as cursor, count(*) as rows from batch`,
)

/** A database of its own, and runs of this program with chosen migrations. */
const openDatabase = async (t: TestContext) => {
  const connectionString = await newDatabase(t)
  const run = (options: MigrateOptions) =>
    migrate({ connectionString }, { version: '1.0.0', progressEveryMs: 0, ...options })
  const client = await connect(t, connectionString)
  return { run, client, read: (text: string) => query(connectionString, text) }
}

test('a backfill that is interrupted between batches continues there, and deals with each row once', async (t) => {
  const { run, client, read } = await openDatabase(t)
  const migrations = [first, backfill]
  let lines: string[] = []
  const interrupted = run({
    migrations,
    onProgress: (line) => {
      lines.push(line)
      throw new Error('interrupted')
    },
  })
  await assert.rejects(interrupted, (error) => {
    assert.ok(error instanceof OperatorError)
    return /0003_backfill\.sql failed and can be continued: interrupted\.$/.test(error.message)
  })
  assert.deepEqual(lines, ['0003_backfill.sql: 10 rows'])
  assert.deepEqual(await read('select sum(mark)::integer as marked from item'), [{ marked: 10 }])
  assert.deepEqual((await examineSchema(client, { migrations, version: '1.0.0' })).pending, [backfill.name])

  lines = []
  assert.deepEqual(await run({ migrations, onProgress: (line) => lines.push(line) }), [backfill.name])
  assert.deepEqual(lines, [
    '0003_backfill.sql: continues after 10 rows',
    '0003_backfill.sql: 20 rows',
    '0003_backfill.sql: 25 rows',
    '0003_backfill.sql: 25 rows',
  ])
  assert.deepEqual(await read('select distinct mark from item'), [{ mark: 1 }])
  assert.deepEqual(await run({ migrations }), [])
})

test('a version that does not know an unfinished migration starts beside it, or is refused, as the migration says', async (t) => {
  const { run, client } = await openDatabase(t)
  const interrupt = () => {
    throw new Error('interrupted')
  }
  await assert.rejects(run({ migrations: [first, backfill], onProgress: interrupt }))
  const { pending, newer } = await examineSchema(client, { migrations: [first], version: '1.0.3' })
  assert.deepEqual([pending, newer], [[], [backfill.name]])
  assert.deepEqual(await run({ migrations: [first], version: '1.0.3' }), [])
  await assert.rejects(run({ migrations: [first], version: '0.9.12' }), {
    message:
      'This database was migrated by a newer Vitrine: 0003_backfill.sql needs version 1.0.0 or newer, and this is 0.9.12.',
  })
})

test('an older version starts while a newer one migrates', async (t) => {
  const { run, client } = await openDatabase(t)
  await run({ migrations: [first] })
  // Holds the turn of a migration that takes long.
  await client.query('select pg_advisory_lock(7150421)')
  assert.deepEqual(await run({ migrations: [first] }), [])
  const lines: string[] = []
  const newer = run({ migrations: [first, index], onProgress: (line) => lines.push(line) })
  await until(() => lines.includes('Waiting for another process that migrates this database'))
  await client.query('select pg_advisory_unlock(7150421)')
  assert.deepEqual(await newer, [index.name])
})

test('an instance that waits for its turn is in no transaction, because building an index waits for transactions', async (t) => {
  const { run, client } = await openDatabase(t)
  await client.query('select pg_advisory_lock(7150421)')
  const waiting = run({ migrations: [first] })
  const states = async () => {
    const { rows } = await client.query<{ state: string }>(
      `select state from pg_stat_activity
       where application_name = 'vitrine migrate lock' and datname = current_database()`,
    )
    return rows.map(({ state }) => state)
  }
  // It is in one for a moment each time that it asks.
  await until(async () => (await states()).includes('idle'))
  await client.query('select pg_advisory_unlock(7150421)')
  assert.deepEqual(await waiting, [first.name])
})

test('indexes are built concurrently, by one of the instances that start together', async (t) => {
  const { run, read } = await openDatabase(t)
  const migrations = [first, index]
  const applied = await Promise.all([1, 2, 3].map(() => run({ migrations })))
  assert.deepEqual(applied.flat(), [first.name, index.name])
  assert.deepEqual(
    await read(`select indexrelid::regclass::text as name, indisvalid as valid from pg_index
      where indexrelid in ('item_by_mark'::regclass, 'item_by_id'::regclass) order by 1`),
    [
      { name: 'item_by_id', valid: true },
      { name: 'item_by_mark', valid: true },
    ],
  )
})

test('an index that failed half built is removed and built again', async (t) => {
  const { run, client, read } = await openDatabase(t)
  await run({ migrations: [first] })
  const unique = readMigration(
    index.name,
    index.text
      .replace('create index concurrently item_by_mark', 'create unique index concurrently item_by_mark')
      .replace('(mark, id)', '(mark)'),
  )
  const migrations = [first, unique]
  await assert.rejects(run({ migrations }), /could not create unique index/)
  assert.deepEqual(await read(`select indisvalid from pg_index where indexrelid = 'item_by_mark'::regclass`), [
    { indisvalid: false },
  ])
  await client.query('update item set mark = id')
  const lines: string[] = []
  assert.deepEqual(await run({ migrations, onProgress: (line) => lines.push(line) }), [index.name])
  assert.ok(lines.includes('0002_index.sql: removing what is left of item_by_mark'), lines.join('\n'))
  assert.deepEqual(await read(`select indisvalid from pg_index where indexrelid = 'item_by_mark'::regclass`), [
    { indisvalid: true },
  ])
})

test('a migration that cannot get a lock lets the shop go on, and is tried again', async (t) => {
  const { run, client, read } = await openDatabase(t)
  await run({ migrations: [first] })
  const column = readMigration('0004_column.sql', 'alter table item add column note text')
  // As a dump does, for as long as it takes.
  await client.query('begin; lock table item in access share mode')
  const lines: string[] = []
  const applying = run({
    migrations: [first, column],
    lockTimeoutMs: 50,
    onProgress: (line) => lines.push(line),
  })
  await until(() => lines.length > 0)
  assert.deepEqual(lines, ['0004_column.sql: waits until other transactions release their locks'])
  // A statement that arrives now would wait behind the migration, if that still waited for its lock.
  assert.deepEqual(await read('select count(*)::integer as items from item'), [{ items: rows }])
  await client.query('commit')
  assert.deepEqual(await applying, [column.name])
})

test('a statement in batches whose cursor does not move fails instead of running for ever', async (t) => {
  const { run } = await openDatabase(t)
  const endless = readMigration(
    '0005_endless.sql',
    `-- runs: in batches\nselect coalesce($1::text, 'x') as cursor, 1 as rows`,
  )
  await assert.rejects(run({ migrations: [endless] }), /the cursor stays at x/)
})

test('a file that says something unknown about how it runs is refused', () => {
  assert.throws(() => readMigration('0006_typo.sql', '-- runs: in batchs\nselect 1'), /0006_typo\.sql runs "in batchs"/)
})
