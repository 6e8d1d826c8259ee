import type { Queries } from '../../db/database.ts'
import type { Payments, StoreId } from '../context.ts'
import { type ChargingStore, listChargingStores, listPrices, listProductsByPrice } from './amounts.sql.ts'

/** Amounts that the payment provider of a store refuses. `reason` is the sentence that a shopper would get. */
export type RefusedAmounts = Pick<ChargingStore, 'publicId' | 'paymentProvider' | 'currency'> & { reason: string } & (
    | { kind: 'currency' }
    | { kind: 'shipping'; amountMinor: number }
    | { kind: 'prices'; products: { slug: string; priceMinor: number }[]; count: number }
  )

/** Breaks every rule about minimums and decimals. */
const smallestMinor = 1
/** Breaks none of them, so a provider that refuses it does not take the currency. */
const roundMinor = 1_000_000

/** In one store or in all open ones. */
export const findRefusedAmounts = async (
  db: Queries,
  { providers }: Pick<Payments, 'providers'>,
  storeId: StoreId | null = null,
): Promise<RefusedAmounts[]> => {
  const found: RefusedAmounts[] = []
  for (const store of await listChargingStores(db, storeId)) {
    const { id, publicId, paymentProvider, currency, shippingFlatMinor } = store
    const refuse = (minor: number) => providers.get(paymentProvider)?.refuseAmount(minor, currency) ?? null
    // Saves reading the prices of most stores.
    if (refuse(smallestMinor) === null) continue
    const about = { publicId, paymentProvider, currency }
    const unsupported = refuse(roundMinor)
    if (unsupported !== null) {
      found.push({ ...about, kind: 'currency', reason: unsupported })
      continue
    }
    // Shipping is always added to a price, so a minimum does not matter.
    const inexact = refuse(roundMinor + shippingFlatMinor)
    if (inexact !== null) found.push({ ...about, kind: 'shipping', amountMinor: shippingFlatMinor, reason: inexact })
    const refused = (await listPrices(db, id)).filter((minor) => refuse(minor) !== null)
    if (refused.length === 0) continue
    const products = await listProductsByPrice(db, id, refused)
    const [first] = products
    const reason = first === undefined ? null : refuse(first.priceMinor)
    if (first !== undefined && reason !== null) {
      found.push({ ...about, kind: 'prices', products, count: first.count, reason })
    }
  }
  return found
}
