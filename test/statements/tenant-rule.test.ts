import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossStores, jumps, readsOwnWrites } from './across-stores.ts'
import { listStatements, type SentStatement } from './record.ts'
import { sampleStoreId } from './samples.ts'
import { findReadWrites, findRefusedTimes, findUnjoined, findUntied } from './tenant-rule.ts'

const statements = await listStatements()

/** What a rule finds in the statements of the service, with the places in the source. */
const faultsOf = (chosen: readonly SentStatement[], find: (statement: SentStatement) => string[]) => [
  ...new Set(
    chosen.flatMap((statement) =>
      find(statement).map((fault) => `${statement.site.path}:${statement.site.line} ${fault}`),
    ),
  ),
]

test('one server of a distributed database can answer every statement, except for listed reads', () => {
  const ofOneStore = statements.filter(({ site }) => acrossStores[site.path] === undefined)
  assert.deepEqual(faultsOf(ofOneStore, findUntied), [])
  const across = statements.filter((statement) => findUntied(statement).length > 0)
  assert.deepEqual(faultsOf(across, findUnjoined), [])
  const jumping = across.filter(({ text }) => /with recursive/.test(text)).map(({ site }) => site.path)
  assert.deepEqual([...new Set(jumping)].sort(), jumps)
  const places = Map.groupBy(across, ({ site }) => site.path)
  const counted = [...places].map(([path, found]) => [path, new Set(found.map(({ site }) => site.line)).size])
  assert.deepEqual(
    Object.fromEntries(counted),
    Object.fromEntries(Object.entries(acrossStores).map(([path, listed]) => [path, listed.places])),
    'test/statements/across-stores.ts lists the reads across stores. Others add store_id = storeId',
  )
})

test('writes name the time where a distributed database allows it', () => {
  assert.deepEqual(faultsOf(statements, findRefusedTimes), [])
})

test('no statement depends on whether its parts see what others of them have written', () => {
  const faults = faultsOf(statements, findReadWrites)
  const pathOf = (fault: string) => fault.split(':')[0] ?? ''
  assert.deepEqual(
    faults.filter((fault) => readsOwnWrites[pathOf(fault)] === undefined),
    [],
  )
  assert.deepEqual([...new Set(faults.map(pathOf))].sort(), Object.keys(readsOwnWrites).sort())
})

const values = [sampleStoreId, 'x', sampleStoreId, 1]
const untied = (text: string) => findUntied({ text, values })

test('a table that is not tied to the store is refused in every part of a statement, and the error says what to add', () => {
  const refused: [text: string, ...tables: string[]][] = [
    ['select from orders where id = $2', 'orders.store_id'],
    ['select from orders o where o.store_id = $4', 'o.store_id'],
    ['select from orders o where o.store_id = any($1)', 'o.store_id'],
    ['select from orders o where o.store_id = $1 or o.id = $2', 'o.store_id'],
    ['select from orders o join refund r on r.order_id = o.id where o.store_id = $1', 'r.store_id'],
    ['select (select 1 from refund r where r.store_id = o.store_id) from orders o where o.store_id = $1', 'r.store_id'],
    [
      'select from orders o where o.store_id = $1 and exists (select from refund r where r.order_id = o.id)',
      'r.store_id',
    ],
    [
      'select from orders o cross join lateral (select from refund r where r.store_id = o.store_id) x where o.store_id = $1',
      'r.store_id',
    ],
    [
      'with c as (select * from orders o where o.store_id = $1) select from c join refund r on r.store_id = c.store_id',
      'r.store_id',
    ],
    ['with c as (select * from orders o) select from c where c.store_id = $1', 'o.store_id'],
    ['select from orders o where o.store_id = $1 union all select from refund r', 'r.store_id'],
    ['select array(select id from cart c order by id limit 1)', 'c.store_id'],
    ['update orders o set note = r.detail from refund r where o.store_id = $1 and r.order_id = o.id', 'r.store_id'],
    ['update orders o set note = (select detail from refund r limit 1) where o.store_id = $1', 'r.store_id'],
    ['delete from cart c using guest g where c.store_id = $1 and g.id = c.guest_id', 'g.store_id'],
    ['delete from cart c where c.ctid = any(array(select d.ctid from cart d)) and c.store_id = $1', 'd.store_id'],
  ]
  for (const [text, ...added] of refused) {
    const adds = untied(text).map((fault) => /Add: (\S+) =/.exec(fault)?.[1])
    assert.deepEqual(adds, added, text)
  }
  assert.deepEqual(untied('select from stock'), ['"stock" is not tied to the store. Add: stock.store_id = storeId'])
  for (const text of [
    'insert into cart (store_id, id) values ($1, $2), ($4, $2)',
    'insert into cart (id) values ($2)',
    'insert into cart (store_id, id) select o.store_id, o.id from orders o where o.store_id = $1',
    'with made as (insert into cart (store_id, id) select $4, $2) select 1',
  ]) {
    assert.deepEqual(
      untied(text),
      ['"cart" gets rows that are not tied to the store. Insert store_id with storeId'],
      text,
    )
  }
})

test('a table that is tied to the store is accepted, and so is the directory', () => {
  for (const text of [
    'select from orders o where o.store_id = $1 and o.id = $2',
    'select from orders o join refund r on r.store_id = o.store_id where o.store_id = $1',
    'select from orders o join refund r on (r.store_id, r.order_id) = (o.store_id, o.id) where o.store_id = $1::integer',
    'select from orders o left join refund r on r.store_id = $3 where $1 = o.store_id',
    'select from orders o join store s on s.id = o.store_id where s.id = $1',
    'select from store s join outlet o on o.store_id = s.id where s.public_id = $2',
    'with c as (update orders set note = $2 where store_id = $1 returning *) select from c',
    'with recursive tree as (select id from category where store_id = $1 union select c.id from tree join category c on c.store_id = $3) select from tree',
    'insert into cart (store_id, id) select $1, r.id from refund r where r.store_id = $3 on conflict do nothing',
    'insert into cart as c (id, store_id) values ($2, $1) on conflict (store_id, id) do update set version = c.version + 1',
    'delete from cart where store_id = $1',
    'set local work_mem = 1',
  ]) {
    assert.deepEqual(untied(text), [], text)
  }
})

test('a read across stores that writes, locks or joins by anything but the store is refused', () => {
  const unjoined = (text: string) => findUnjoined({ text, values })
  assert.deepEqual(unjoined('select store_id from orders where id = $2 group by store_id'), [])
  assert.deepEqual(unjoined('select from orders o join refund r on r.store_id = o.store_id'), [])
  assert.deepEqual(unjoined('select from orders o join refund r on r.order_id = o.id'), [
    '"refund" is not joined by its store. Add: r.store_id = o.store_id',
  ])
  assert.deepEqual(unjoined('select from orders for update skip locked'), [
    'locks rows across stores. Lock store by store',
  ])
  assert.deepEqual(unjoined('delete from orders'), ['writes "orders" across stores. Write store by store'])
})

test('a time in a place where a distributed database refuses it is found', () => {
  const refused = (text: string) => findRefusedTimes({ text }).length
  assert.equal(refused('update cart set created_at = coalesce(created_at, vitrine_now())'), 1)
  assert.equal(refused('update cart set created_at = case when id is null then vitrine_now() end'), 1)
  assert.equal(refused('update cart set version = 1 returning vitrine_now()'), 1)
  assert.equal(refused('insert into cart (id) values (1) on conflict (id) do update set created_at = vitrine_now()'), 1)
  const after = (time: string) =>
    refused(`insert into cart (id) values (1) on conflict (id) do update set created_at = ${time}`)
  assert.equal(after(`greatest(excluded.created_at, cart.created_at + interval '1 minute')`), 1)
  assert.equal(after(`cart.created_at - 2 * interval '1 minute'`), 1)
  assert.equal(after(`(cart.created_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'`), 0)
  assert.equal(refused('insert into cart (id) values ((select 1))'), 1)
  assert.equal(refused('update cart set created_at = coalesce(created_at, (select vitrine_now()))'), 0)
  assert.equal(refused('update cart set created_at = vitrine_now() returning (select vitrine_now())'), 0)
  assert.equal(refused('select coalesce(created_at, vitrine_now()) from cart'), 0)
})

test('a statement that reads what a part of it writes is found', () => {
  const found = (text: string) => findReadWrites({ text }).length
  assert.equal(found('with n as (insert into cart (id) values (1) returning id) select from cart, n'), 1)
  assert.equal(
    found('with n as (update cart set version = 1 returning id) insert into guest select c.id from cart c, n'),
    1,
  )
  assert.equal(found('with n as (insert into cart (id) select id from cart returning id) select from n'), 0)
  assert.equal(found('with n as (update cart set version = 1 returning id) select from cart, n'), 0)
})
