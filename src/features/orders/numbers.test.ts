import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newDatabase, query } from '../../cli/fixture.ts'
import { systemClock } from '../../core/clock.ts'
import { connectDb } from '../../db/database.ts'
import { type MigrateOptions, migrate } from '../../db/migrate.ts'
import { readMigrations } from '../../db/migration-files.ts'
import type { StoreId } from '../context.ts'
import { nextOrderNumber } from './numbers.ts'

/** The last migration with a sequence for each store, of which the later ones drop 500 in a transaction. */
const lastWithSequences = 35
const stores = 600

/** A database in which the first two stores have placed orders. */
const withSequences = async (t: TestContext) => {
  const connectionString = await newDatabase(t)
  const run = (text: string) => query(connectionString, text)
  const upgrade = (options: MigrateOptions = {}) => migrate({ connectionString }, { progressEveryMs: 0, ...options })
  await upgrade({ migrations: readMigrations().filter(({ number }) => number <= lastWithSequences) })
  await run(`insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
    select 'store_' || n, 'Shop', 'https://shop' || n || '.example', 'EUR', 'en', 'UTC', 'cod'
    from generate_series(1, ${stores}) n`)
  await run(`insert into outlet (store_id, public_id, name) select id, 'outlet_' || id, 'Main' from store where id < 3`)
  await run(`insert into customer (store_id, id) values (1, 'cus_1'), (2, 'cus_1')`)
  await run(`insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash,
      status, payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor,
      tax_minor, total_minor, tax_included, units, created_at, updated_at)
    select s, 'ord_' || s || '_' || n, nextval('order_number_' || s), 'cus_1', s, 'cart_1', 1, '', 'pending', 'pending',
      'cod', 'sold', 'EUR', 100, 0, 0, 0, 100, true, 1, now(), now()
    from generate_series(1, 2) s cross join lateral generate_series(1, 3 * s) n`)
  const countSequences = async () =>
    (await run(`select count(*)::integer as count from pg_class where relkind = 'S' and relname ~ '^order_number_'`))[0]
      ?.count
  return { connectionString, upgrade, countSequences }
}

test('after an upgrade that was interrupted, all sequences are gone and orders are numbered from where they were', async (t) => {
  const { connectionString, upgrade, countSequences } = await withSequences(t)
  assert.equal(await countSequences(), stores)
  const interrupt = (line: string) => {
    if (/^0037\S+: 500 rows/.test(line)) throw new Error('interrupted')
  }
  await assert.rejects(upgrade({ onProgress: interrupt }), /0037_old_sequences\.sql failed and can be continued/)
  assert.equal(await countSequences(), stores - 500)

  const db = connectDb({ connection: { connectionString }, poolSize: 2, clock: systemClock })
  t.after(() => db.close())
  const nextOf = async (publicId: string) => {
    const { id } = await db.one<{ id: StoreId }>`select id from store where public_id = ${publicId}`
    return nextOrderNumber(db, id)
  }
  assert.deepEqual([await nextOf('store_1'), await nextOf('store_2'), await nextOf('store_3')], [1004, 1007, 1001])

  const lines: string[] = []
  await upgrade({ onProgress: (line) => lines.push(line) })
  assert.ok(lines.includes('0037_old_sequences.sql: continues after 500 rows'), lines.join('\n'))
  assert.equal(await countSequences(), 0)
  assert.deepEqual(
    [await nextOf('store_1'), await nextOf('store_2'), await nextOf(`store_${stores}`)],
    [1005, 1008, 1001],
  )
})
