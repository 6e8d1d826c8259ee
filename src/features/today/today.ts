import type { Permission } from '../access/admin.contract.ts'
import { maxCounted } from '../admin-list.ts'
import { countStock } from '../catalog/stock-list.sql.ts'
import type { AdminCtx } from '../context.ts'
import { countOrdersToDo } from '../orders/order-list.ts'
import type { EndpointRow } from '../outgoing-webhooks/endpoints.sql.ts'
import { listEndpoints } from '../outgoing-webhooks/endpoints.ts'
import { countReturns } from '../returns/returns.sql.ts'

/** Each is looked up with its variant and product, which takes ten times as long as counting an order. */
const maxLowStock = 1_000

/** One more than the maximum tells whether there are more. */
const limit = maxCounted + 1

const requestedReturns = { status: 'requested', orderId: null, from: null, to: null } as const
const lowStockRows = { outletId: null, variantId: null, sku: null, productId: null, words: null, stock: 'low' } as const

/** Counts as the lists of the admin API do with the same filters. The statements are sent at once: none waits for another. */
export const countToday = async (ctx: Pick<AdminCtx, 'db' | 'store' | 'permissions'>) => {
  const { db, store, permissions } = ctx
  const allowed = async <Counts>(permission: Permission, count: () => Promise<Counts>): Promise<Counts | null> =>
    permissions.has(permission) ? count() : null
  const [orders, returns, lowStock, failingWebhooks] = await Promise.all([
    allowed('orders:read', () => countOrdersToDo(db, store, limit)),
    allowed('orders:read', () => countReturns(db, store.id, requestedReturns, limit)),
    allowed('catalog:read', () => countStock(db, store.id, lowStockRows, maxLowStock + 1)),
    allowed('settings:read', async () => (await listEndpoints(db, store)).filter(isFailing).length),
  ])
  return {
    unpaid: showCount(orders?.unpaid),
    toShip: showCount(orders?.toShip),
    attention: showCount(orders?.attention),
    returns: showCount(returns),
    lowStock: showCount(lowStock, maxLowStock),
    failingWebhooks: showCount(failingWebhooks),
  }
}

const showCount = (found: number | null | undefined, most = maxCounted) =>
  typeof found === 'number' ? { total: Math.min(found, most), totalIsExact: found <= most } : null

const isFailing = ({ failingSince, disabledReason }: EndpointRow) =>
  failingSince !== null || (disabledReason ?? 'merchant') !== 'merchant'
