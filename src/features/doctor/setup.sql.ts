import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

/**
 * What the owner has decided, and whether an order went through: it was paid, or placed where only cash is taken. By
 * `order_facet`, which begins with the status: 1 is pending, 2 to 4 are paid to delivered, 5 is cancelled, 6 refunded.
 */
export const readSetupFacts = (db: Queries, storeId: StoreId) => db.one<{
  shippingDecided: boolean
  taxDecided: boolean
  hasOrder: boolean
}>`
  select shipping_decided as "shippingDecided", tax_decided as "taxDecided",
    exists (select from orders where store_id = ${storeId} and facet >= 2000 and facet < 5000)
      or exists (select from orders where store_id = ${storeId} and facet >= 6000)
      or (payment_provider = 'cod' and exists (select from orders where store_id = ${storeId} and facet < 2000))
      as "hasOrder"
  from store where id = ${storeId}`
