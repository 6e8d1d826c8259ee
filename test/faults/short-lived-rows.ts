import { query } from '../../src/cli/fixture.ts'

/** Tables from which jobs delete what is old, with the column that says how old a row is. */
const tables = {
  kept_answer: 'created_at',
  webhook_attempt: 'at',
  webhook_delivery: 'finished_at',
  event: 'created_at',
  mail: 'finished_at',
  payment_event: 'received_at',
  delivery_event: 'received_at',
  cart: 'sweep_on',
  guest: 'seen_on',
} as const

type TableSize = { name: string; rows: number; mb: number }

/** What is stored in each of the tables. Only guests' carts count. */
export const sizesOfShortLived = (database: string): Promise<TableSize[]> =>
  query(
    database,
    Object.entries(tables)
      .map(
        ([table, age]) => `
        select '${table}' as name, count(${age})::integer as rows, pg_total_relation_size('${table}') / 1e6::float8 as mb
        from ${table}`,
      )
      .join(' union all '),
  )

/** Makes all rows but those of the last half minute older than any row is kept. */
export const makeShortLivedOld = async (database: string) => {
  for (const [table, age] of Object.entries(tables)) {
    const writtenAt = table === 'cart' ? 'updated_at' : age
    await query(
      database,
      `update ${table} set ${age} = ${age} - interval '400 days'
       where ${age} > now() - interval '300 days'
         and (${table === 'guest'} or ${writtenAt} < now() - interval '30 seconds')`,
    )
  }
}
