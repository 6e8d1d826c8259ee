import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSql } from '../../test/databases.ts'
import { databaseUrl } from '../../test/harness.ts'
import { directoryTables, localTables, tenantTables } from './tenancy.ts'

/** The rules that let a database be distributed by store, checked in the catalog of the migrated schema. */

const names = async (text: string) => (await runSql(databaseUrl, text)).map(({ name }) => String(name)).sort()

const tenants = `array[${tenantTables.map((name) => `'${name}'`).join(', ')}]::text[]`

/** Tables of Vitrine, not those of an extension. */
const isOurs = `c.relnamespace = current_schema()::regnamespace and not exists (
  select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

test('every table has one kind: of the directory, of tenants, or local', async () => {
  const tables = await names(`select c.relname as name from pg_class c where c.relkind in ('r', 'p') and ${isOurs}`)
  assert.deepEqual(tables, [...directoryTables, ...localTables, ...tenantTables].sort())
})

test('every row of a tenant has a store, and every primary key, unique key and index begins or goes on with it', async () => {
  const withStore = await names(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'store_id'
    where a.attnotnull and a.atttypid = 'integer'::regtype and c.relname = any(${tenants}) and ${isOurs}`)
  assert.deepEqual(withStore, [...tenantTables].sort())
  const withKey = await names(`
    select c.relname as name from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relname = any(${tenants}) and ${isOurs}`)
  assert.deepEqual(withKey, [...tenantTables].sort())
  const withoutStore = await names(`
    select pg_get_indexdef(i.indexrelid) as name from pg_index i join pg_class c on c.oid = i.indrelid
    where (i.indisunique or i.indisexclusion) and c.relname = any(${tenants}) and ${isOurs} and not exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'store_id' and a.attnum = any(i.indkey))`)
  assert.deepEqual(withoutStore, [])
})

test('foreign keys of tenants have the store on both sides, and none leads from the directory to a tenant', async () => {
  const keys = `
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_class r on r.oid = k.confrelid
    where k.contype = 'f' and ${isOurs}`
  const fromDirectory = await names(`
    select k.conname as name ${keys} and r.relname = any(${tenants}) and c.relname <> all(${tenants})`)
  assert.deepEqual(fromDirectory, [])
  // The key of the store itself is its id.
  const withoutStore = await names(`
    select c.relname || ' ' || pg_get_constraintdef(k.oid) as name ${keys} and c.relname = any(${tenants}) and not exists (
      select from unnest(k.conkey, k.confkey) as pair (mine, other)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = pair.mine and a.attname = 'store_id'
      join pg_attribute b on b.attrelid = r.oid and b.attnum = pair.other
        and b.attname = case when r.relname = 'store' then 'id' else 'store_id' end)`)
  assert.deepEqual(withoutStore, [])
})

test('tables of tenants have no triggers, and no sequence belongs to a store', async () => {
  const triggers = await names(`
    select t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and (c.relname = any(${tenants}) or c.relname = 'store') and ${isOurs}`)
  assert.deepEqual(triggers, [])
  const loose = await names(`
    select c.relname as name from pg_class c where c.relkind = 'S' and ${isOurs} and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i'))`)
  assert.deepEqual(loose, [])
})
