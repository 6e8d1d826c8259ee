import type { Permission } from '../access/admin.contract.ts'
import { type CountedMatches, maxCounted } from '../admin-list.ts'
import { countStock } from '../catalog/stock-list.sql.ts'
import type { AdminCtx } from '../context.ts'
import { openOrderList } from '../orders/order-list.ts'
import { listEndpoints } from '../outgoing-webhooks/endpoints.ts'
import { countReturns } from '../returns/returns.sql.ts'

/** One more than the maximum tells whether there are more. */
const limit = maxCounted + 1

const everyRow = { outletId: null, variantId: null, sku: null, productId: null, words: null }

/** Counts as the lists of the admin API do with the same filters, one after another. */
export const countToday = async (ctx: Pick<AdminCtx, 'db' | 'store' | 'permissions'>) => {
  const { db, store, permissions } = ctx
  const counted = async (permission: Permission, count: () => Promise<number | CountedMatches>) => {
    if (!permissions.has(permission)) return null
    const found = await count()
    const matches = typeof found === 'number' ? { found, isExact: found < limit } : found
    return { total: Math.min(matches.found, maxCounted), totalIsExact: matches.isExact }
  }
  const orders = (query: Parameters<typeof openOrderList>[2]) =>
    counted('orders:read', () => openOrderList(db, store, query).count(limit))
  return {
    unpaid: await orders({ status: 'pending' }),
    toShip: await orders({ status: 'paid', delivery: 'none' }),
    attention: await orders({ attention: true }),
    returns: await counted('orders:read', () =>
      countReturns(db, store.id, { status: 'requested', orderId: null, from: null, to: null }, limit),
    ),
    lowStock: await counted('catalog:read', () => countStock(db, store.id, { ...everyRow, stock: 'low' }, limit)),
    failingWebhooks: await counted('settings:read', async () => {
      const endpoints = await listEndpoints(db, store)
      return endpoints.filter((one) => one.failingSince !== null || (one.disabledReason ?? 'merchant') !== 'merchant')
        .length
    }),
  }
}
