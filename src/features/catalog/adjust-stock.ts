import { refuse } from '../../core/domain-errors.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Tx } from '../../db/database.ts'
import { type AuditedFields, recordChange } from '../audit/record.ts'
import type { Author, Outlet, Store } from '../context.ts'
import { listStockedOutlets, lockProducts, refreshStockFlags, setTracked } from './products.sql.ts'
import { findOutlet } from './products.ts'
import { type ChangedStock, readStock } from './stock-change.sql.ts'
import { addUnits, findVariant, setOnHand, setStockLevels, type VariantName } from './stock-change.ts'
import type { MoveNote } from './stock-ledger.sql.ts'

/**
 * `quantity` sets the available units (null: not tracked at any outlet), `delta` changes them. `onHand` sets the available
 * and the reserved units together: what was counted.
 */
export type StockChange = VariantName & {
  outletId: string | null
  reason?: string | null
} & ({ quantity: number | null } | { delta: number } | { onHand: number })

const becomesTracked = (change: StockChange) => !('quantity' in change) || change.quantity !== null

/** Changes the available units of one variant at one outlet. */
export const adjustStock = async (tx: Tx, store: Store, by: Author, change: StockChange) => {
  const variant = await findVariant(tx, store, change)
  const outlet = change.outletId === null ? store.defaultOutlet : findOutlet(store, change.outletId)
  // The product is locked first, as by every writer.
  await lockProducts(tx, store.id, [variant.productId])
  const { trackingChanged, changed } = await writeStock(tx, store, variant, outlet, by, change)
  if (trackingChanged || changed.length > 0) {
    const isTracked = becomesTracked(change)
    const changes: AuditedFields = {
      ...(trackingChanged ? { tracked: { before: !isTracked, after: isTracked } } : {}),
      ...unitsByOutlet(store, changed),
      ...(change.reason ? { reason: { before: null, after: change.reason } } : {}),
    }
    recordChange(tx, store, by, { action: 'stock.adjusted', id: variant.id, changes })
    await refreshStockFlags(tx, store.id, [variant.productId])
    await announceCatalog(tx, store.id)
  }
  return { variantId: variant.id, outletId: outlet.publicId, ...(await readUnits(tx, store, variant.id, outlet)) }
}

/** Units of a variant at an outlet. All are 0 if it was never counted there. */
export const readUnits = async (tx: Tx, store: Pick<Store, 'id'>, variantId: string, { id: outletId }: Outlet) =>
  (await readStock(tx, store.id, { variantId, outletId })) ?? { onHand: 0, reserved: 0, available: 0 }

/** As the audit log shows them. A change of tracking can change several outlets. */
const unitsByOutlet = ({ outlets }: Store, changed: readonly ChangedStock[]): AuditedFields =>
  Object.fromEntries(
    changed.map(({ outletId, before, available }) => {
      const outlet = outlets.find(({ id }) => id === outletId)
      return [`available at ${outlet?.publicId ?? outletId}`, { before, after: available }]
    }),
  )

/** A number makes an untracked variant tracked again, with no stock at other outlets (decision 0024). */
const writeStock = async (
  tx: Tx,
  store: Store,
  { id: variantId, productId }: { id: string; productId: string },
  { id: outletId }: Outlet,
  by: Author,
  change: StockChange,
): Promise<{ trackingChanged: boolean; changed: ChangedStock[] }> => {
  const note: MoveNote = { cause: 'adjustment', orderId: null, reason: change.reason ?? null, actor: by.actor }
  const trackingChanged = (await setTracked(tx, store.id, variantId, becomesTracked(change))) !== undefined
  if ('delta' in change) {
    if (trackingChanged) throw refuse('STOCK_NOT_TRACKED', { variantId })
    const added = await addUnits(tx, store, { variantId, productId, outletId }, change.delta, note)
    return { trackingChanged, changed: change.delta === 0 ? [] : [added] }
  }
  if ('quantity' in change && change.quantity === null) return { trackingChanged, changed: [] }
  const others = trackingChanged ? await listStockedOutlets(tx, store.id, variantId) : []
  const levels = new Map(others.map((other) => [other.outletId, 0]))
  levels.delete(outletId)
  if ('quantity' in change && change.quantity !== null) levels.set(outletId, change.quantity)
  const rows = [...levels].map(([outlet, available]) => ({
    variant_id: variantId,
    product_id: productId,
    outlet_id: outlet,
    available,
  }))
  const changed = await setStockLevels(tx, store, rows, note)
  const counted =
    'onHand' in change ? await setOnHand(tx, store, { variantId, productId, outletId }, change.onHand, note) : []
  return { trackingChanged, changed: [...changed, ...counted] }
}
