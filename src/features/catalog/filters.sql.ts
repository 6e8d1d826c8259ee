import type { Db } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { allOf, sql } from '../../db/sql.ts'
import { conditions, type Filter, type OutletRef } from './catalog.sql.ts'

/** An option, its values in the order of the products, and the number of products with exactly these values. */
export type OptionList = { name: string; values: string[]; count: number }

/**
 * The options of the newest thousand products, at most 200 of each category, so that the cost does not grow with the
 * store. Products without options in the word index are skipped, because filtering by an option would not find them.
 */
export const listOptions = (db: Db, outlet: OutletRef, filter: Filter) => {
  const here = sql`l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId}`
  const rest = conditions(outlet.storeId, filter)
  const newest =
    filter.categoryIds === undefined
      ? sql`select * from listing l where ${allOf([here, ...rest])} order by l.seq desc limit 1000`
      : sql`select l.* from unnest(${filter.categoryIds}::text[]) as wanted (category_id) cross join lateral (
          select * from listing l where ${allOf([here, sql`l.category_id = wanted.category_id`, ...rest])}
          order by l.seq desc limit 200) l
        order by l.seq desc limit 1000`
  const options = sql`select p.options from product p where p.store_id = ${outlet.storeId} and p.id = l.product_id`
  return db.fresh.many<OptionList>`
    select n.option ->> 'name' as name, n.option -> 'values' as values, count(*)::integer as count
    from (${newest}) l
    cross join ${byKey(options)} p
    cross join lateral jsonb_array_elements(p.options) as n (option)
    where l.words @@ ${`'${outlet.outletId}=':*`}::tsquery
    group by n.option -> 'values', n.option ->> 'name'
    order by count(*) desc, n.option -> 'values'`
}
