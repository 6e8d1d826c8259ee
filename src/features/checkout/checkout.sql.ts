import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { PostalAddress } from '../orders/order.contract.ts'
import { type Coupon, couponAsJson } from '../pricing/coupons.ts'

export type OpenOrder = { id: string; cartVersion: number; requestHash: string }

/** Everything that a checkout reads besides the cart. */
export type CheckoutData = {
  /** The unpaid online order of this cart. */
  open: OpenOrder | null
  address: PostalAddress | null
  coupon: Coupon | null
  couponUses: number
  /** Totals of the customer's unpaid orders; null unless requested. */
  unpaid: Unpaid | null
}

/** `units` counts those in all unpaid orders, `cashOrders` the orders with cash on delivery. */
export type Unpaid = { units: number; cashOrders: number; customer: Buyer }
type Buyer = { id: string; name: string; email: string; phone: string; hasVerifiedPhone: boolean }

/** `couponCode`: null reads no coupon, undefined reads that of the cart. */
export type CheckoutDataRequest = {
  customerId: string
  addressId: string | null
  couponCode: string | null | undefined
  unpaid?: true
}

/**
 * Finds the cart by the customer, so that it can be pipelined with the statements that lock and read the cart. Parts
 * that are not requested are left out of the statement: with null parameters PostgreSQL would replan it on each call.
 */
export const readCheckoutData = (
  db: Queries,
  storeId: StoreId,
  { customerId, addressId, couponCode, ...requested }: CheckoutDataRequest,
) => {
  const address = sql`(
    select json_build_object('name', a.name, 'phone', a.phone, 'line1', a.line1, 'line2', a.line2,
      'landmark', a.landmark, 'city', a.city, 'state', a.state, 'postalCode', a.postal_code, 'country', a.country)
    from address a
    where a.store_id = ${storeId} and a.customer_id = ${customerId} and a.id = ${addressId})`
  const code = couponCode === undefined ? sql`c.coupon_code` : sql`${couponCode}`
  const uses = sql`coalesce((
    select u.uses from coupon k join coupon_use u on u.store_id = k.store_id and u.coupon_id = k.id
    where k.store_id = ${storeId} and k.code = ${code} and u.customer_id = ${customerId}), 0)`
  const unpaid = sql`(
    select json_build_object('units', coalesce(sum(o.units), 0),
      'cashOrders', count(*) filter (where o.payment_method = 'cod'),
      'customer', (
        select json_build_object('id', u.id, 'name', u.name, 'email', coalesce(u.email, ''),
          'phone', coalesce(u.phone, u.contact_phone), 'hasVerifiedPhone', u.phone is not null)
        from customer u where u.store_id = ${storeId} and u.id = ${customerId}))
    from orders o
    where o.store_id = ${storeId} and o.customer_id = ${customerId} and o.payment_status in ('pending', 'failed')
      and o.status in ('pending', 'out_for_delivery'))`
  return db.one<CheckoutData>`
  select (
    select json_build_object('id', o.id, 'cartVersion', o.cart_version, 'requestHash', o.request_hash)
    from orders o
    where o.store_id = ${storeId} and o.cart_id = c.id and o.status = 'pending' and o.payment_method = 'online'
    order by o.number desc limit 1) as open,
    ${addressId === null ? sql`null::json` : address} as address,
    ${couponCode === null ? sql`null::jsonb` : couponAsJson(storeId, code)} as coupon,
    ${couponCode === null ? sql`0` : uses} as "couponUses",
    ${requested.unpaid === undefined ? sql`null::json` : unpaid} as unpaid
  from (values (1)) one left join cart c on c.store_id = ${storeId} and c.customer_id = ${customerId}`
}
