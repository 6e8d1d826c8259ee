import pg from 'pg'
import { systemClock } from '../src/core/clock.ts'
import { connectDb } from '../src/db/database.ts'
import { addToSums } from '../src/features/reports/sales.sql.ts'

export type AdminStore = { id: number; outletId: number; otherOutletId: number; products: number }

export const firstNames = ['Asha', 'Ravi', 'Meera', 'Arjun', 'Lata', 'Imran', 'Grace', 'Noor', 'Kabir', 'Tara']
const ordersPerCustomer = 10
const step = 25_000

/**
 * Orders of the last 366 days, in every state that lasts, with all that belongs to them: customers, lines, timelines,
 * payments, refunds, search terms and the sums of reports.
 */
export const fillAdminOrders = async (
  connection: pg.ClientConfig,
  store: AdminStore,
  orders: number,
  say: (text: string) => void,
) => {
  const client = new pg.Client(connection)
  const db = connectDb({ connection, poolSize: 1, clock: systemClock, statementTimeoutMs: 600_000 })
  await client.connect()
  try {
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`)
    // Every row is made with its parents, and looking each of them up would take a third of the time.
    await client.query('set session_replication_role = replica')
    await client.query(customersOf(store), [orders, Math.ceil(orders / ordersPerCustomer)])
    await client.query('analyze customer')
    const addIndexes = await dropIndexes(client)
    const fill = async (from: number, to: number) => {
      for (const text of statements(store, orders)) await client.query(text, [from, to])
      if (from === 1) await client.query('analyze')
    }
    const addAll = async () => {
      while ((await addToSums(db, store.id, step)).added > 0);
    }
    for (let from = 1; from <= orders; from += step) {
      const to = Math.min(from + step - 1, orders)
      // The sums of the orders before them, on another core.
      await Promise.all([fill(from, to), addAll()])
      say(`${to.toLocaleString('en')} orders`)
    }
    await Promise.all([addIndexes(say), addAll()])
    await client.query('insert into order_counter (store_id, last_number) values ($1, $2)', [store.id, orders])
    await client.query('vacuum analyze')
  } finally {
    await client.end()
    await db.close()
  }
}

/** Sorting the entries of an index once is many times faster than adding each in its place. Keys stay. */
const dropIndexes = async (client: pg.Client) => {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('orders'::regclass, 'order_line'::regclass, 'order_event'::regclass, 'order_search'::regclass)
      and not indisunique`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return async (say: (text: string) => void) => {
    for (const { name, definition } of rows) {
      await client.query(definition)
      say(`index ${name}`)
    }
  }
}

/** As many as orders; the first ones have them. Some of the last names are frequent, most are rare. */
const customersOf = ({ id }: AdminStore) => `
  insert into customer (store_id, id, name, email, phone, has_orders, created_at)
  select ${id}, 'cus_' || n, (array['${firstNames.join(`', '`)}'])[1 + n % ${firstNames.length}] || ' '
      || 'Family' || (n % 7919) % (1 + n % 997), 'customer' || n || '@example.com',
    '+9198' || lpad(n::text, 8, '0'), n <= $2::integer, now() - interval '400 days' + n * (interval '30 days' / $1::integer)
  from generate_series(1, $1::integer) n`

/** What an order of each kind has: its share in percent, both statuses, where it is, its payment and its timeline. */
const kinds = [
  [65, 'delivered', 'paid', 'delivered', 'paid', 'placed,paid,out_for_delivery,delivered'],
  [10, 'out_for_delivery', 'paid', 'out_for_delivery', 'paid', 'placed,paid,out_for_delivery'],
  [10, 'paid', 'paid', null, 'paid', 'placed,paid'],
  [1, 'paid', 'paid', null, 'paid', 'placed,paid,attention'],
  [3, 'pending', 'pending', null, 'open', 'placed'],
  [4, 'cancelled', 'pending', null, 'closed', 'placed,cancelled'],
  [3, 'cancelled', 'failed', null, 'failed', 'placed,payment_failed,cancelled'],
  [2, 'refunded', 'refunded', null, 'refunded', 'placed,paid,refunded'],
  [2, 'delivered', 'partially_refunded', 'delivered', 'paid', 'placed,paid,delivered,partially_refunded'],
] as const

const shares = kinds.flatMap(([share], kind) => Array.from({ length: share }, () => kind))
const textOf = (value: string | null) => (value === null ? 'null' : `'${value}'`)
const kindRows = kinds.map(([, ...values], kind) => `(${[kind, ...values.map(textOf)].join(', ')})`)

/** The order number n. Its kind follows from a multiple of n, so that neighbours differ. */
const made = `generate_series($1::integer, $2::integer) n join (values ${kindRows.join(', ')})
  k (kind, status, payment_status, delivery_status, payment, timeline)
  on k.kind = (array[${shares.join(', ')}])[1 + (n * 37) % 100]`

const unitMinor = 10_000
const taxMinor = 1_525
const lines = 2
const totalMinor = lines * unitMinor

const statements = ({ id, outletId, otherOutletId, products }: AdminStore, orders: number) => {
  const at = `now() - interval '1 minute' - (${orders} - n) * (interval '366 days' / ${orders})`
  const customers = Math.ceil(orders / ordersPerCustomer)
  const product = `lpad((1 + (n * 7 + line * 131) % ${products})::text, 8, '0')`
  const orderId = `'ord_' || n`
  // Of all lines, or of what one of them costs.
  const taxes = `jsonb_build_array(jsonb_build_object('rate', 18,
    'baseMinor', case k.payment_status when 'refunded' then ${totalMinor - lines * taxMinor} else ${unitMinor - taxMinor} end,
    'taxMinor', case k.payment_status when 'refunded' then ${lines * taxMinor} else ${taxMinor} end))`
  return [
    `insert into orders (store_id, id, number, customer_id, outlet_id, cart_id, cart_version, request_hash, status,
       payment_status, payment_method, stock_state, currency, subtotal_minor, discount_minor, shipping_minor,
       tax_minor, total_minor, tax_included, units, needs_attention, to_ship, delivery_status, delivered_at,
       shipping_address, created_at, updated_at)
     select ${id}, ${orderId}, n, c.id, case when n % 4 = 0 then ${otherOutletId} else ${outletId} end, 'cart_past', 1,
       '', k.status, k.payment_status, case when k.payment = 'open' then 'cod' else 'online' end,
       case when k.status in ('cancelled', 'refunded') then 'released' else 'sold' end, 'INR', ${totalMinor}, 0, 0,
       ${lines * taxMinor}, ${totalMinor}, true, ${lines},
       case when k.timeline like '%attention' then 'Paid after it had expired.' end, k.status in ('pending', 'paid'), k.delivery_status,
       case when k.delivery_status = 'delivered' then ${at} end,
       jsonb_build_object('name', c.name, 'phone', c.phone, 'line1', '1 Lake Road', 'line2', '', 'landmark', '',
         'city', 'Pune', 'state', 'MH', 'postalCode', '411001', 'country', 'IN'), ${at}, ${at}
     from ${made} join customer c on c.store_id = ${id} and c.id = 'cus_' || 1 + n % ${customers}
     order by n`,
    `insert into order_line (store_id, order_id, position, id, product_id, variant_id, name, variant, image, sku,
       quantity, unit_minor, line_total_minor, discount_minor, tax_minor, tax_rate)
     select ${id}, ${orderId}, line, 'item_' || n || '_' || line, 'prod_${id}_' || ${product}, 'var_${id}_' || ${product},
       'Something', '', '', 'SKU-' || ${product}, 1, ${unitMinor}, ${unitMinor}, 0, ${taxMinor}, 18
     from ${made}, generate_series(0, ${lines - 1}) line order by n, line`,
    // Of parcels that have arrived nothing is read.
    `insert into shipment (store_id, order_id, id, tracking_number, partner, status, created_at, updated_at)
     select ${id}, ${orderId}, 'ship_' || n, 'T' || n, 'Bluebird', k.status, ${at}, ${at}
     from ${made} where k.status = 'out_for_delivery' order by n`,
    `insert into order_event (store_id, order_id, at, type, message)
     select ${id}, ${orderId}, ${at}, e.type, 'It was ' || e.type || '.'
     from ${made}, string_to_table(k.timeline, ',') with ordinality e (type, place) order by n, place`,
    `insert into payment (store_id, id, order_id, provider, status, amount_minor, currency, created_at, updated_at)
     select ${id}, 'pay_' || n, ${orderId}, case when k.payment = 'open' then 'cod' else 'sandbox' end, k.payment,
       ${totalMinor}, 'INR', ${at}, ${at} from ${made} order by n`,
    `insert into refund (store_id, id, order_id, payment_id, amount_minor, status, taxes, created_at, updated_at)
     select ${id}, 'ref_' || n, ${orderId}, 'pay_' || n,
       case k.payment_status when 'refunded' then ${totalMinor} else ${unitMinor} end, 'succeeded', ${taxes}, ${at}, ${at}
     from ${made} where k.payment_status in ('refunded', 'partially_refunded') order by n`,
    // The terms of the service.
    `insert into order_search (store_id, number, term)
     select o.store_id, o.number, t.term
     from orders o join customer c on c.store_id = o.store_id and c.id = o.customer_id
     cross join lateral order_search_terms(o.shipping_address, c.name, c.email, c.phone,
       array(select l.sku from order_line l where l.store_id = o.store_id and l.order_id = o.id)) t (term)
     where o.store_id = ${id} and o.number between $1 and $2 order by o.number`,
    // With a time to come, so that the job of the service leaves them alone.
    `insert into sale_entry (store_id, order_id, orders, refunds_minor, refunded_taxes, at)
     select ${id}, ${orderId}, 1, case k.payment_status when 'refunded' then ${totalMinor}
       when 'partially_refunded' then ${unitMinor} else 0 end,
       case when k.payment_status in ('refunded', 'partially_refunded')
         then jsonb_build_array(jsonb_build_object('at', ${at}, 'sign', 1, 'taxes', ${taxes})) end, now() + interval '1 day'
     from ${made} where k.status <> 'cancelled' order by n`,
  ]
}
