import { sql } from '../../db/sql.ts'
import { maxFindings, type Rule, type Violation, within } from './invariants.sql.ts'

/** The moves of a variant at an outlet add up to its stock row, and the last one says so too. */
export const findWrongLedgers: Rule = (db, storeId) => db.many<Violation>`
  with ledger as (
    select store_id, variant_id, outlet_id, sum(on_hand) as on_hand, sum(reserved) as reserved, max(seq) as last
    from stock_move where ${within(storeId, sql`store_id`)}
    group by store_id, variant_id, outlet_id),
  counted as (
    select store_id, variant_id, outlet_id, on_hand, reserved from stock where ${within(storeId, sql`store_id`)}),
  compared as (
    select coalesce(k.variant_id, l.variant_id) as variant_id, coalesce(k.outlet_id, l.outlet_id) as outlet_id,
      coalesce(k.on_hand, 0) as on_hand, coalesce(k.reserved, 0) as reserved,
      coalesce(l.on_hand, 0) as moved_on_hand, coalesce(l.reserved, 0) as moved_reserved,
      coalesce(m.on_hand_after, 0) as last_on_hand, coalesce(m.reserved_after, 0) as last_reserved
    from counted k
    full join ledger l on l.store_id = k.store_id and l.variant_id = k.variant_id and l.outlet_id = k.outlet_id
    left join stock_move m on m.store_id = l.store_id and m.variant_id = l.variant_id and m.seq = l.last)
  select format('Variant %s has %s units at outlet %s, of which %s are reserved, but its ledger adds up to %s and %s, and ends with %s and %s.',
    variant_id, on_hand, outlet_id, reserved, moved_on_hand, moved_reserved, last_on_hand, last_reserved) as sentence
  from compared
  where (on_hand, reserved) <> (moved_on_hand, moved_reserved) or (on_hand, reserved) <> (last_on_hand, last_reserved)
  limit ${maxFindings}`

/** Rows of a store that has just changed its threshold are brought up to it by a job. */
export const findWrongThresholds: Rule = (db, storeId) => db.many<Violation>`
  select format('Variant %s is low in stock at %s units at outlet %s, but should be at %s.', k.variant_id, k.low_at,
    k.outlet_id, coalesce(v.low_stock_threshold, s.low_stock_threshold)) as sentence
  from stock k
  join variant v on v.store_id = k.store_id and v.id = k.variant_id
  join store s on s.id = k.store_id
  where k.low_at <> coalesce(v.low_stock_threshold, s.low_stock_threshold) and ${within(storeId, sql`k.store_id`)}
    and (v.low_stock_threshold is not null or s.low_stock_applied = s.low_stock_threshold)
  limit ${maxFindings}`
