import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, newDatabase } from '../cli/fixture.ts'
import { migrate } from './migrate.ts'
import { readMigrations } from './migration-files.ts'

test('an upgrade from 0.1.0 keeps stores that share a domain, counts open orders, and lists no coupons', async (t) => {
  const url = await newDatabase(t)
  const client = await connect(t, url)
  const run = async (text: string) => (await client.query(text)).rows
  await run(`create table vitrine_migration (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  for (const { number, name, text, checksum } of readMigrations().filter(({ number }) => number <= 6)) {
    await run(text)
    await client.query('insert into vitrine_migration values ($1, $2, $3)', [number, name, checksum])
  }
  await run(`insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
    select 'store_' || n, 'Shop', 'https://' || case when n < 4 then 'same' else 'other' end || '.example', 'EUR', 'en',
      'UTC', 'cod' from generate_series(1, 4) n`)
  await run(`insert into outlet (store_id, public_id, name) select id, 'outlet_' || id, 'Main' from store`)
  await run(`insert into customer (store_id, id) values (1, 'cus_1')`)
  await run(`insert into coupon (store_id, id, code, kind, value) values (1, 'cpn_1', 'STAFF100', 'percent', 100000)`)
  for (const [id, number, status] of [
    ['ord_open', 1, 'pending'],
    ['ord_over', 2, 'cancelled'],
  ]) {
    await run(`insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash,
        status, payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor,
        tax_minor, total_minor, tax_included, created_at, updated_at)
      values (1, '${id}', ${number}, 'cus_1', 1, 'cart_1', 1, '', '${status}', 'pending', 'cod', 'sold', 'EUR', 100, 0, 0,
        0, 100, true, now(), now())`)
    await run(`insert into order_line (store_id, order_id, position, id, product_id, variant_id, name, variant, image, sku,
        quantity, unit_minor, line_total_minor, discount_minor, tax_minor, tax_rate)
      select 1, '${id}', n, 'item_' || n, 'prod_1', 'var_1', '', '', '', '', 4, 25, 100, 0, 0, 0
      from generate_series(1, 2) n`)
  }

  await migrate({ connectionString: url })
  const marks = await run('select domain_is_duplicate as mark from store order by id')
  assert.deepEqual(
    marks.map(({ mark }) => mark),
    [false, true, true, false],
  )
  await assert.rejects(
    run(`insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
      values ('store_5', 'Shop', 'https://same.example', 'EUR', 'en', 'UTC', 'cod')`),
    { code: '23505' },
  )
  assert.deepEqual(await run('select id, units from orders order by id'), [
    { id: 'ord_open', units: 8 },
    { id: 'ord_over', units: 0 },
  ])
  assert.deepEqual(await run('select listed from coupon'), [{ listed: false }])
})
