import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { onlyOnCluster } from '../../test/cluster.ts'
import { joinServers, makeBeside, runSql } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { OperatorError } from '../core/operator-error.ts'
import { changeShardsInTurn, distribute, distributeNewTables, type Kinds } from './distribute.ts'
import { migrate } from './migrate.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { directoryTables, tenantTables } from './tenancy.ts'

const clientFor = async (t: TestContext, url: string) => {
  const client = new pg.Client({ connectionString: url })
  // Dropping the database ends the connection.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

/** A migrated database on one server. `migrations` are those of an earlier version. */
const newDatabase = async (t: TestContext, migrations?: readonly Migration[]) => {
  const { url, drop } = await makeBeside(databaseUrl, { migrated: false })
  t.after(drop)
  await migrate({ connectionString: url }, { ...(migrations && { migrations }) })
  return { url, client: await clientFor(t, url) }
}

test('a database without the extension is refused with a sentence, and stays as it is', async (t) => {
  const { url, client } = await newDatabase(t)
  const keys = `select count(*)::integer as keys from pg_constraint where contype = 'f'`
  const before = await runSql(url, keys)
  await assert.rejects(distribute(client), (error) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, /does not have the extension citus/)
    return true
  })
  assert.deepEqual(await runSql(url, keys), before)
  await distributeNewTables(client)
})

const insertStore = `
  insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
  values ('store_1', 'Shop', 'shop.test', 'INR', 'en', 'UTC', 'sandbox')`
const insertCustomers = `
  insert into customer (store_id, id, name) select s.id, 'cus_' || n, 'Asha' from store s, generate_series(1, 9) n`

const keysOf = (url: string) =>
  runSql(
    url,
    `select conrelid::regclass::text as of, pg_get_constraintdef(oid) as key from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace
       and conrelid::regclass::text = any(array[${[...tenantTables, ...directoryTables].map((name) => `'${name}'`)}])
     order by 1, 2`,
  )

const kindsOf = async (url: string) =>
  (
    await runSql(
      url,
      `select citus_table_type as kind, count(*)::integer as tables, count(distinct colocation_id)::integer as groups
       from citus_tables where citus_table_type <> 'local' group by 1 order by 1`,
    )
  ).map(({ kind, tables, groups }) => [kind, tables, groups])

const expected = [
  ['distributed', tenantTables.length, 1],
  ['reference', directoryTables.length, 1],
]

test(
  'a database with rows is distributed with all foreign keys, and a second run does nothing',
  onlyOnCluster,
  async (t) => {
    const { url, client } = await newDatabase(t)
    await runSql(url, insertStore)
    await runSql(url, insertCustomers)
    const keys = await keysOf(url)
    await joinServers(url)
    const lines: string[] = []
    const done = await distribute(client, (line) => lines.push(line))
    assert.deepEqual(done, { tables: [...directoryTables, ...tenantTables], keys: keys.length })
    assert.ok(lines.length > done.tables.length, lines.join('\n'))
    assert.deepEqual(await kindsOf(url), expected)
    assert.deepEqual(await keysOf(url), keys)
    assert.deepEqual(await runSql(url, 'select count(*)::integer as n from customer'), [{ n: 9 }])
    const [{ rows } = { rows: 0 }] = await runSql(
      url,
      `select sum(result::integer)::integer as rows
     from run_command_on_shards('customer', 'select count(*) from %s where vitrine_now() is not null')`,
    )
    assert.equal(rows, 9)
    assert.deepEqual(await distribute(client), { tables: [], keys: 0 })
  },
)

test('a run that was interrupted at any step is continued by the next one', onlyOnCluster, async (t) => {
  const { url } = await newDatabase(t)
  const keys = await keysOf(url)
  await joinServers(url)
  for (const stopAt of [/^Moving outlet/, /^Moving customer,/, /^Making foreign keys, 21/]) {
    const client = await clientFor(t, url)
    const interrupted = distribute(client, (line) => {
      if (stopAt.test(line)) throw new Error('interrupted')
    })
    await assert.rejects(interrupted, /interrupted\. What is done stays/)
  }
  const done = await distribute(await clientFor(t, url))
  assert.equal(done.tables.length, 0)
  assert.deepEqual(await kindsOf(url), expected)
  assert.deepEqual(await keysOf(url), keys)
})

test(
  'tables that a later migration makes are distributed too, and may then refer to others',
  onlyOnCluster,
  async (t) => {
    const { url, client } = await newDatabase(t)
    await runSql(url, insertStore)
    await joinServers(url)
    await distribute(client)
    await runSql(
      url,
      `${changeShardsInTurn};
     alter table customer add column rank integer not null default 0;
     create table gift (store_id integer not null references store, id text, customer_id text, primary key (store_id, id));
     create table carrier (name text primary key);
     create function rank_of(n integer) returns integer language sql immutable return n + 1`,
    )
    const kinds: Kinds = { directory: [...directoryTables, 'carrier'], tenant: [...tenantTables, 'gift'] }
    await distributeNewTables(client, kinds)
    assert.deepEqual(await kindsOf(url), [
      ['distributed', tenantTables.length + 1, 1],
      ['reference', directoryTables.length + 1, 1],
    ])
    await runSql(url, 'alter table gift add foreign key (store_id, customer_id) references customer (store_id, id)')
    await runSql(url, insertCustomers)
    await runSql(url, `insert into gift (store_id, id, customer_id) select store_id, id, id from customer`)
    await assert.rejects(
      runSql(url, `insert into gift (store_id, id, customer_id) select id, 'x', 'no one' from store`),
      /violates foreign key/,
    )
    assert.deepEqual(await migrate({ connectionString: url }), [])
  },
)

test('a database that an earlier version has distributed gets all later migrations', onlyOnCluster, async (t) => {
  // The first that could be distributed.
  const isEarlier = ({ number }: Migration) => number <= 38
  const { url, client } = await newDatabase(t, readMigrations().filter(isEarlier))
  await joinServers(url)
  await distribute(client)
  const later = readMigrations().filter((migration) => !isEarlier(migration))
  assert.deepEqual(
    await migrate({ connectionString: url }),
    later.map(({ name }) => name),
  )
  assert.deepEqual(await kindsOf(url), expected)
  await runSql(url, insertStore)
  await runSql(url, insertCustomers)
})
