import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type UsableCouponRow = {
  id: string
  code: string
  description: string
  kind: 'percent' | 'fixed'
  value: number
  minSubtotalMinor: number
  endsAt: Date | null
}

/** Listed coupons that are valid now and that this customer has not used up, by code. */
export const listUsableCoupons = (
  db: Queries,
  storeId: StoreId,
  { customerId, after, limit }: { customerId: string; after: string; limit: number },
) => db.many<UsableCouponRow>`
  select k.id, k.code, k.description, k.kind, k.value, k.min_subtotal_minor as "minSubtotalMinor", k.ends_at as "endsAt"
  from coupon k
  left join coupon_use u on u.store_id = k.store_id and u.coupon_id = k.id and u.customer_id = ${customerId}
  where k.store_id = ${storeId} and k.listed and k.code > ${after}
    and (k.starts_at is null or k.starts_at <= vitrine_now()) and (k.ends_at is null or k.ends_at > vitrine_now())
    and k.stopped_at is null and (k.usage_limit is null or k.used < k.usage_limit)
    and (k.customer_limit is null or coalesce(u.uses, 0) < k.customer_limit)
  order by k.code
  limit ${limit}`
