import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSql } from '../databases.ts'
import { databaseUrl } from '../harness.ts'
import { findChildrenFirst, findReadsOfWritten, findRefusedInserts, type Reference } from './insert-rule.ts'
import { listStatements, type SentStatement } from './record.ts'

const statements = await listStatements()

const references: Reference[] = await runSql(
  databaseUrl,
  `select c.relname as child, p.relname as parent
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
   where k.contype = 'f' and not k.condeferred and c.oid <> p.oid and c.relnamespace = current_schema()::regnamespace`,
)

const faultsOf = (find: (statement: SentStatement) => string[]) => [
  ...new Set(statements.flatMap((one) => find(one).map((fault) => `${one.site.path}:${one.site.line} ${fault}`))),
]

test('rows that a query makes are inserted in a way that a distributed database can do with the right errors', () => {
  assert.deepEqual(faultsOf(findRefusedInserts), [])
})

test('a statement inserts a row before the rows that refer to it, and deletes it after them', () => {
  assert.ok(references.length > 40)
  assert.deepEqual(
    faultsOf((statement) => findChildrenFirst(statement, references)),
    [],
  )
})

/** Statements whose later read finds the same before the write and afterwards. */
const readTheSame = [
  // Only whether there is such a row.
  'src/features/accounts/bound-codes.sql.ts "otp_request"',
  // Without the rows that were written.
  'src/features/cart/add-line.sql.ts "cart_item"',
  'src/features/cart/cart.sql.ts "cart_item"',
  // The delivery that was sent is not due, and its endpoint is only passed over once.
  'src/features/outgoing-webhooks/attempt.sql.ts "webhook_delivery"',
  'src/features/outgoing-webhooks/attempt.sql.ts "webhook_endpoint"',
]

test('a statement reads a table before it writes it', () => {
  const isKnown = (fault: string) => readTheSame.some((one) => one.split(' ').every((part) => fault.includes(part)))
  const faults = faultsOf(findReadsOfWritten)
  assert.deepEqual(
    faults.filter((fault) => !isKnown(fault)),
    [],
  )
  assert.equal(new Set(faults.map((fault) => fault.replace(/:\d+/, ''))).size, readTheSame.length)
})

test('an insert that a distributed database refuses, or whose errors it cannot tell, is found', () => {
  const refused = (text: string) => findRefusedInserts({ text }).length
  assert.equal(refused('insert into cart (store_id) select $1'), 1)
  assert.equal(refused('with n as (insert into cart (store_id) select $1) select from n'), 1)
  assert.equal(refused('insert into cart (store_id) select $1 on conflict (id) do update set version = $2'), 1)
  assert.equal(refused('insert into cart (store_id) select $1 returning $2::text'), 1)
  assert.equal(refused('insert into cart (store_id) select $1 returning store_id'), 0)
  assert.equal(refused('insert into cart (store_id) select $1 on conflict do nothing'), 1)
  assert.equal(
    refused('insert into cart (store_id) select $1 on conflict (id) do update set version = 1 where cart.id = 1'),
    1,
  )
  assert.equal(refused('insert into cart (store_id) select $1 on conflict do nothing returning 1'), 0)
  assert.equal(refused('insert into cart (store_id) select $1 on conflict (id) do update set version = 1'), 0)
  assert.equal(refused('insert into cart (store_id) values ($1) on conflict (id) do update set version = $2'), 0)
  assert.equal(refused('with n as (insert into cart (store_id) select $1 returning $2::text) select from n'), 0)
})

test('rows that are written before those to which they refer are found', () => {
  const keys = [{ child: 'order_line', parent: 'orders' }]
  const found = (text: string) => findChildrenFirst({ text }, keys).length
  const line = 'insert into order_line (id) values (1)'
  const order = 'insert into orders (id) values (1)'
  assert.equal(found(`with l as (${line}) ${order}`), 1)
  assert.equal(found(`with l as (${line}), o as (${order}) select from cart`), 1)
  assert.equal(
    found(`with o as (delete from orders), l as (delete from order_line) insert into cart (id) values (1)`),
    1,
  )
  assert.equal(found(`with o as (delete from orders), l as (delete from order_line) select from cart`), 0)
  assert.equal(found(`with o as (${order}) ${line}`), 0)
})

test('a read of a table that a part before has written is found', () => {
  const found = (text: string) => findReadsOfWritten({ text }).length
  const write = 'update orders set note = $1 where store_id = $2 returning id'
  assert.equal(found(`with o as (${write}) select id, (select count(*) from orders) from o`), 1)
  assert.equal(found(`with o as (${write}), other as (select id from orders) select from other`), 1)
  assert.equal(found(`with o as (${write}) update cart set version = 1 from orders where cart.id = orders.id`), 1)
  assert.equal(found(`with before as (select count(*) from orders), o as (${write}) select from before, o`), 0)
  assert.equal(found(`with o as (${write} in (select id from orders)) select from o`), 0)
  assert.equal(found('insert into orders (id) select id from orders'), 0)
})
