import { toWire } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreCtx, StoreId } from '../context.ts'
import type { EventTypeOf } from '../events/events.contract.ts'
import { recordEvents } from '../events/record.ts'
import { maxLineQuantity } from './catalog.contract.ts'
import type { ProductEventData } from './catalog-events.contract.ts'
import { type ProductSnapshot, productSnapshot } from './product-events.sql.ts'
import { showImage } from './show-image.ts'

export type ChangedProduct = { id: string; type: EventTypeOf<'product'>; sequence: number }

export const recordProductEvents = (tx: Tx, store: { id: StoreId }, products: readonly ChangedProduct[]) =>
  recordEvents(
    tx,
    store,
    products.map(({ id, type, sequence }) => ({ type, subject: id, sequence })),
    productSnapshot(
      store.id,
      products.map(({ id }) => id),
    ),
  )

/** Prices and stock are those of the default outlet. */
export const showProductEvent = (
  ctx: Pick<StoreCtx, 'store' | 'publicUrl'>,
  snapshot: ProductSnapshot,
): ProductEventData => {
  const { currency, defaultOutlet } = ctx.store
  const variants = snapshot.variants.map(({ priceMinor, compareAtMinor, pricesMinor, stock, ...variant }) => ({
    ...variant,
    stock: variant.stockTracked ? (stock[defaultOutlet.publicId] ?? 0) : maxLineQuantity,
    image: showImage(ctx, variant.image),
    price: toWire(pricesMinor[defaultOutlet.publicId] ?? priceMinor, currency),
    compareAtPrice: compareAtMinor === null ? null : toWire(compareAtMinor, currency),
  }))
  const cheapest = variants.toSorted((a, b) => a.price - b.price)[0]
  return {
    id: snapshot.id,
    name: snapshot.name,
    description: snapshot.description,
    price: cheapest?.price ?? 0,
    compareAtPrice: cheapest?.compareAtPrice ?? null,
    category: snapshot.category ?? '',
    stock: variants.reduce((sum, { stock }) => sum + stock, 0),
    stockTracked: variants.every(({ stockTracked }) => stockTracked),
    images: snapshot.images.map((image) => showImage(ctx, image)),
    media: snapshot.images.map((image, i) => ({ url: showImage(ctx, image), alt: snapshot.imageTexts[i] ?? '' })),
    status: snapshot.status,
    slug: snapshot.slug,
    currency,
    hasVariants: snapshot.hasVariants,
    options: snapshot.options,
    seo: snapshot.seo,
    vendor: snapshot.vendor,
    digital: snapshot.digital !== null,
    tags: snapshot.tags,
    variants,
  }
}
