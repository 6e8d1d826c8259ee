import type pg from 'pg'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import { isDistributed } from './distributed.ts'
import { directoryTables, tenantTables } from './tenancy.ts'

/**
 * Spreads a migrated database over the servers of a Citus cluster (decision 0053). Citus cannot move a table that has
 * foreign keys to tables that are still local, and two tables of the directory refer to each other: so all foreign keys are
 * noted and dropped, the tables are moved one by one, and the keys are made again. Each step is a transaction, and what is
 * left to do is read from the database, so an interrupted run is continued by the next one.
 */

/** Told about each step, in whole lines. */
export type OnStep = (line: string) => void

/** `tables`: those that this run has moved. `keys`: the foreign keys that it has made again. */
export type Distributed = { tables: string[]; keys: number }

/** Which tables are copied to every server, and which are spread by store. */
export type Kinds = { directory: readonly string[]; tenant: readonly string[] }

const ours: Kinds = { directory: directoryTables, tenant: tenantTables }

/** An arbitrary number that all instances share. */
const distributionLock = 7_150_422

/** Exists while foreign keys are missing. */
const notedKeys = 'vitrine_foreign_key'

export const distribute = async (
  client: pg.Client,
  onStep: OnStep = () => {},
  kinds: Kinds = ours,
): Promise<Distributed> => {
  try {
    await requireCluster(client)
    await client.query('set client_min_messages = warning')
    await setUpServers(client)
    return await moveTables(client, onStep, kinds)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const hint = 'What is done stays. Run the command again to continue.'
    throw new OperatorError(`The database could not be distributed: ${errorMessage(error)}. ${hint}`, { cause: error })
  }
}

/**
 * For the connection of migrations: with several changes in one transaction, Citus changes one shard after another. A
 * server without Citus takes any value for a name with a dot.
 */
export const changeShardsInTurn = `set citus.multi_shard_modify_mode = 'sequential'`

/** Moves the tables that a migration has made in a database that is distributed. Does nothing in any other. */
export const distributeNewTables = async (client: pg.Client, kinds: Kinds = ours): Promise<void> => {
  if (await isDistributed((text) => client.query(text))) await moveTables(client, () => {}, kinds)
}

const ask = async <Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []) =>
  (await client.query<Row>(text, values)).rows

const hasCitus = async (client: pg.Client) =>
  (await ask(client, `select from pg_extension where extname = 'citus'`)).length > 0

const requireCluster = async (client: pg.Client) => {
  if (!(await hasCitus(client))) {
    throw new OperatorError(
      'This database does not have the extension citus. Create it on every server, in a database of the same name, and ' +
        'add the servers with citus_add_node.',
    )
  }
  const servers = await ask(client, `select from pg_dist_node where isactive and noderole = 'primary' and groupid > 0`)
  if (servers.length === 0) throw new OperatorError('Citus knows no other server yet. Add them with citus_add_node.')
}

/**
 * Settings of the database, made on every server because Citus does not always pass them on. Time limits of a transaction and the clock of tests are settings of the
 * transaction, which other servers need too. The session of the service switches compiling off (`plansOnce` in
 * database.ts), but other servers do not know its settings, and took a second to compile a statement of some milliseconds.
 */
const clusterSettings = `do $$ begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  execute format('alter database %I set citus.propagate_set_commands = local', current_database());
  execute format('alter database %I set jit = off', current_database());
end $$`

/** A copy of a distributed database needs it again: settings are not copied. */
export const setUpServers = async (client: pg.Client) => {
  const answers = await ask<{ success: boolean; result: string }>(
    client,
    'select success, result from run_command_on_all_nodes($1)',
    [clusterSettings],
  )
  const failed = answers.find(({ success }) => !success)
  if (failed) throw new OperatorError(`A server of the cluster refuses settings of the database: ${failed.result}`)
}

const moveTables = async (client: pg.Client, onStep: OnStep, kinds: Kinds): Promise<Distributed> => {
  await client.query('select pg_advisory_lock($1)', [distributionLock])
  try {
    await bringAlong(client)
    const waiting = await localOnes(client, kinds)
    if (waiting.length > 0) await noteKeys(client, waiting)
    for (const [i, table] of waiting.entries()) {
      onStep(`Moving ${table}, ${i + 1} of ${waiting.length}`)
      if (kinds.directory.includes(table)) await client.query('select create_reference_table($1)', [table])
      else await spreadTable(client, table)
      // The rows as they were here are not read any more.
      await client.query('select truncate_local_data_after_distributing_table($1)', [table])
    }
    return { tables: waiting, keys: await makeKeys(client, onStep) }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [distributionLock])
  }
}

/** Functions and extensions that statements use. Citus brings along only what is made once it is there. */
const bringAlong = async (client: pg.Client) => {
  const functions = await ask<{ name: string }>(
    client,
    `select p.oid::regprocedure::text as name from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       and not exists (
         select from pg_catalog.pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`,
  )
  const extensions = await ask<{ name: string }>(
    client,
    `select quote_ident(e.extname) as name from pg_extension e
     where e.extname not in ('plpgsql', 'citus', 'citus_columnar') and not exists (
       select from pg_catalog.pg_dist_object o where o.classid = 'pg_extension'::regclass and o.objid = e.oid)`,
  )
  for (const { name } of extensions) await client.query(`create extension if not exists ${name}`)
  for (const { name } of functions) await client.query('select create_distributed_function($1)', [name])
}

/** Tables that are still only here, those of the directory first. Tables that are not Vitrine's stay. */
const localOnes = async (client: pg.Client, { directory, tenant }: Kinds) => {
  const rows = await ask<{ name: string }>(
    client,
    `select c.relname as name
     from unnest($1::text[]) with ordinality as t (name, n)
     join pg_class c on c.relname = t.name and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
     where not exists (
       select from pg_dist_partition p where p.logicalrelid = c.oid and (p.partmethod = 'h' or p.repmodel = 't'))
     order by t.n`,
    [[...directory, ...tenant]],
  )
  return rows.map(({ name }) => name)
}

/** Notes and drops every foreign key of or to these tables. */
const noteKeys = async (client: pg.Client, tables: readonly string[]) => {
  await client.query('begin')
  try {
    await client.query(`create table if not exists ${notedKeys} (
      table_name text, name text, definition text not null, primary key (table_name, name))`)
    const keys = await ask<{ table: string; name: string }>(
      client,
      `insert into ${notedKeys} (table_name, name, definition)
       select quote_ident(t.relname), quote_ident(k.conname), pg_get_constraintdef(k.oid)
       from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
       where k.contype = 'f' and t.relnamespace = current_schema()::regnamespace
         and (t.relname = any($1) or r.relname = any($1))
       returning table_name as table, name`,
      [tables],
    )
    for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** By store, the rows of a store on the server where those of other tables are. */
const spreadTable = async (client: pg.Client, table: string) => {
  const [other] = await ask<{ name: string }>(
    client,
    `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace limit 1`,
  )
  await client.query(`select create_distributed_table($1, 'store_id', colocate_with => $2)`, [
    table,
    other?.name ?? 'none',
  ])
}

const makeKeys = async (client: pg.Client, onStep: OnStep) => {
  const [noted] = await ask<{ yes: boolean }>(client, `select to_regclass('${notedKeys}') is not null as yes`)
  if (!noted?.yes) return 0
  const keys = await ask<{ table: string; name: string; definition: string }>(
    client,
    `select table_name as table, name, definition from ${notedKeys} order by table_name, name`,
  )
  for (const [i, { table, name, definition }] of keys.entries()) {
    if (i % 10 === 0) onStep(`Making foreign keys, ${i + 1} of ${keys.length}`)
    await client.query('begin')
    try {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
      await client.query(`delete from ${notedKeys} where table_name = $1 and name = $2`, [table, name])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
  }
  await client.query(`drop table ${notedKeys}`)
  return keys.length
}
