import { Fragment, sql } from './sql.ts'

/**
 * Prepared statements have one plan for all stores (`plansOnce` in database.ts), and the planner expects a store of
 * average size. Where that leads to a plan that reads a whole large store, one of these hints keeps the planner from it.
 * The gains were measured in a store of 200,000 products beside 500 small ones (decision 0035).
 */

/**
 * Looks up one row by its key: `cross join ${byKey(…)} v`. The limit keeps the planner from turning the lookup into a
 * join, for which it would read the whole table: it expects a hundred rows from JSON or an array, whatever their number.
 * Placing an order and moving its stock each take under 1 ms with it, and 160 ms without.
 */
export const byKey = (row: Fragment): Fragment => sql`lateral (${row} limit 1)`

/**
 * A condition that the planner cannot use to choose an index, so that it takes the index of the other conditions. A search
 * of rare words takes 2 ms with it, and 49 ms without: the planner would read all products of the store.
 */
export const notByIndex = (condition: Fragment): Fragment => sql`case when ${condition} then true else false end`

/**
 * `store_id = …` for a table whose `store_id` must not choose the index either. A distributed database still knows by it
 * which server has the rows; it does not look into `notByIndex`.
 */
export const storeNotByIndex = (column: Fragment, storeId: number): Fragment => sql`${column} = ${storeId}::float8`

/**
 * A limit as SQL text, so that the planner knows it. For a parameter it expects a tenth of the rows, and a plan for so
 * many would join whole tables to return a page. No difference was measured up to 200,000 products.
 */
export const literalLimit = (rows: number): Fragment => literalNumber(rows)

/**
 * A whole number as SQL text, for `on conflict` and `returning` of `insert … select`: a distributed database sends these
 * to another server without the other parameters, and that server refuses a statement with gaps. Only for settings and
 * constants, since each value makes a statement of its own.
 */
export const literalNumber = (value: number): Fragment => {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`)
  return new Fragment([String(value)], [])
}
