import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename } from 'node:path/posix'
import { test } from 'node:test'
import pg from 'pg'
import { root } from '../compiler.ts'
import { databaseUrl } from '../harness.ts'
import { checkOwners, listDeletions } from './check-owners.ts'
import { tablesOf, tablesOfDb } from './owners.ts'
import { listStatements } from './record.ts'
import { findTables } from './tables.ts'

test('every table has one owner, and every owner is a feature', async () => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  )
  await client.end()
  const owned = [...Object.values(tablesOf).flat(), ...tablesOfDb].sort()
  assert.deepEqual(
    owned,
    rows.map(({ name }) => name),
  )
  const features = globSync('src/features/*/', { cwd: root }).map((path) => basename(path))
  assert.deepEqual(
    Object.keys(tablesOf).filter((owner) => !features.includes(owner)),
    [],
  )
})

test('a feature writes and locks only its own tables, and reads those of others only where it is listed', async () => {
  const deletions = await listDeletions()
  assert.ok(deletions.length > 0)
  const ofFeatures = (await listStatements()).filter(({ site }) => site.path.startsWith('src/features/'))
  assert.deepEqual(checkOwners([...ofFeatures, ...deletions]), [])
})

test('a write, a lock and a join that are not listed are refused', async () => {
  const sent = (path: string, text: string) => ({ site: { path: `src/features/${path}`, line: 1 }, text })
  const faultsOf = (path: string, text: string) =>
    checkOwners([sent(path, text)])
      .filter((fault) => fault.startsWith('src/'))
      .map((fault) => fault.replace(/^\S+ /, '').split('. ')[0])
  assert.deepEqual(faultsOf('orders/a.sql.ts', `with done as (update payment set status = 'paid') select 1`), [
    'writes "payment", which payments owns',
  ])
  assert.deepEqual(faultsOf('orders/a.sql.ts', 'insert into download (id) select o.id from orders o'), [
    'writes "download", which downloads owns',
  ])
  assert.deepEqual(faultsOf('checkout/a.sql.ts', 'select 1 from orders o, cart c for update of o'), [
    'locks "orders", which orders owns',
  ])
  assert.deepEqual(faultsOf('cart/a.sql.ts', 'delete from cart where id in (select cart_id from orders)'), [
    'reads "orders", which orders owns',
  ])
  assert.ok(checkOwners([]).some((fault) => fault.includes('allows that cart writes "guest"')))
})

test('tables are found in every part of a statement, and names of subqueries are not tables', () => {
  const use = findTables(`
    with kept as (select id from stock for update), gone as (delete from product returning id)
    insert into listing select k.id from kept k left join gone g on exists (select from variant v where v.id = g.id)`)
  assert.deepEqual([...use.writes].sort(), ['listing', 'product'])
  assert.deepEqual([...use.locks], ['stock'])
  assert.deepEqual([...use.reads].sort(), ['stock', 'variant'])
})
