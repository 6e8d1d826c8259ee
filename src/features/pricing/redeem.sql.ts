import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/**
 * Counts a use if both limits allow it and the coupon is not stopped. It locks the coupon's row first, so concurrent
 * uses by one customer are counted one after another.
 */
export const redeemUse = (tx: Tx, storeId: StoreId, couponId: string, customerId: string) => tx.one<{ taken: boolean }>`
  with counted as (
    update coupon set used = used + 1
    where store_id = ${storeId} and id = ${couponId} and (usage_limit is null or used < usage_limit)
      and stopped_at is null
    returning customer_limit),
  mine as (
    insert into coupon_use as u (store_id, coupon_id, customer_id, uses)
    select ${storeId}, ${couponId}, ${customerId}, 1 from counted
    on conflict (store_id, coupon_id, customer_id) do update set uses = u.uses + 1
    returning uses)
  select exists (
    select from mine m join counted c on c.customer_limit is null or m.uses <= c.customer_limit) as taken`

export const releaseUse = (tx: Tx, storeId: StoreId, couponId: string, customerId: string) => tx.run`
  with counted as (
    update coupon set used = used - 1 where store_id = ${storeId} and id = ${couponId} returning id)
  update coupon_use set uses = uses - 1
  where store_id = ${storeId} and coupon_id = (select id from counted) and customer_id = ${customerId}`
