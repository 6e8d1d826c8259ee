import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { noPlans } from '../../../test/cluster.ts'
import { databaseUrl, newStore, serviceFor } from '../../../test/harness.ts'
import { flattenPlan } from '../../../test/plan-nodes.ts'
import type { Tx } from '../../db/database.ts'
import { type Statement, toStatement } from '../../db/sql.ts'
import { refreshListings } from './products.sql.ts'

/** The statement that a function would send. */
const statementOf = (send: (tx: Tx) => unknown): Statement => {
  let made: Statement | undefined
  const many = (strings: TemplateStringsArray, ...values: unknown[]) => {
    made = toStatement(strings, values)
  }
  send({ many } as unknown as Tx)
  assert.ok(made)
  return made
}

test(
  'the words of a product are put together once for each outlet, however many variants it has',
  noPlans,
  async (t) => {
    const service = await serviceFor(t)
    const shop = await newStore(service)
    const variants = Array.from({ length: 30 }, (_, n) => ({ price: 5, stock: 1, options: { Size: `${n}` } }))
    await shop.add({ name: 'Shirt', variants })
    const { id: storeId } = await shop.load()
    const { productId } = await service.db.one<{ productId: string }>`
    select id as "productId" from product where store_id = ${storeId}`
    const { text, values } = statementOf((tx) => refreshListings(tx, storeId, [productId]))
    const client = new pg.Client({ connectionString: service.config.databaseUrl ?? databaseUrl })
    await client.connect()
    t.after(() => client.end())
    await client.query('begin')
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
    await client.query('rollback')
    const [reading] = flattenPlan(rows[0]['QUERY PLAN'][0].Plan).filter(({ Alias: alias }) => alias === 'optional')
    assert.equal(reading?.['Actual Loops'], 1)
  },
)
