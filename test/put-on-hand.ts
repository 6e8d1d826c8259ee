import type { Queries } from '../src/db/database.ts'

/** All of a store, or only a product or a variant. */
type Which = { productId?: string; variantId?: string }

/** Sets the units on hand without a use case, and keeps the ledger balanced. */
export const putOnHand = (
  db: Pick<Queries, 'run'>,
  storeId: number,
  onHand: number,
  { productId, variantId }: Which = {},
) => db.run`
  with before as (
    select variant_id, outlet_id, on_hand from stock
    where store_id = ${storeId} and (${productId ?? null}::text is null or product_id = ${productId ?? null})
      and (${variantId ?? null}::text is null or variant_id = ${variantId ?? null})
    order by variant_id, outlet_id for update),
  changed as (
    update stock s set on_hand = ${onHand} from before b
    where s.store_id = ${storeId} and s.variant_id = b.variant_id and s.outlet_id = b.outlet_id
    returning s.variant_id, s.outlet_id, s.on_hand - b.on_hand as added, s.on_hand, s.reserved)
  insert into stock_move (at, store_id, outlet_id, on_hand, reserved, on_hand_after, reserved_after, variant_id, cause)
  select vitrine_now(), ${storeId}, outlet_id, added, 0, on_hand, reserved, variant_id, 'adjustment' from changed
  where added <> 0`

/** For benches, which fill tables with plain statements: adds what the ledgers of all stores lack. */
export const balanceLedgers = `
  insert into stock_move (at, store_id, outlet_id, on_hand, reserved, on_hand_after, reserved_after, variant_id, cause)
  select vitrine_now(), s.store_id, s.outlet_id, s.on_hand - coalesce(m.on_hand, 0), s.reserved - coalesce(m.reserved, 0),
    s.on_hand, s.reserved, s.variant_id, 'adjustment'
  from stock s left join (
    select store_id, variant_id, outlet_id, sum(on_hand) as on_hand, sum(reserved) as reserved
    from stock_move group by store_id, variant_id, outlet_id) m using (store_id, variant_id, outlet_id)
  where (s.on_hand, s.reserved) <> (coalesce(m.on_hand, 0), coalesce(m.reserved, 0))`
