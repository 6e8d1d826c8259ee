import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { toWire } from '../../core/money.ts'
import type { Tx } from '../../db/database.ts'
import type { Answer } from '../../http/endpoint.ts'
import { holdShopper, isGuest, lockCustomer } from '../access/guests.ts'
import { writeOnce } from '../access/idempotency.ts'
import { invalidGuestToken } from '../access/shopper.ts'
import { outletRefOf } from '../catalog/catalog.ts'
import { showImage, showSizes } from '../catalog/show-image.ts'
import type { Shopper, ShopperCtx, StoreId } from '../context.ts'
import { maxWishlistItems, type WishlistItem } from './wishlist.contract.ts'
import * as sql from './wishlist.sql.ts'

export const listWishlist = async (ctx: ShopperCtx): Promise<WishlistItem[]> => {
  if (!isGuest(ctx))
    return showWishlistItems(ctx, await sql.listWishlistItems(ctx.db, outletRefOf(ctx), ownerOf(ctx.shopper)))
  // A guest who gets a token with this response has no wishlist yet.
  if (ctx.shopper.isNew) return []
  const [first, ...others] = await sql.listGuestWishlistItems(ctx.db, outletRefOf(ctx), ctx.shopper.guestId)
  if (first === undefined || first.isMerged) throw invalidGuestToken(ctx)
  return showWishlistItems(
    ctx,
    [first, ...others].filter((row) => row.id !== null),
  )
}

export const addWishlistItem = (ctx: ShopperCtx, productId: string): Promise<Answer<WishlistItem[]>> =>
  writeOnce(ctx, {
    route: 'POST /v1/wishlist',
    request: { productId },
    write: async (tx) => {
      await holdShopper(tx, ctx)
      const item = { id: newId('wish', ctx.clock.now()), productId, maxWishlistItems }
      const { isOnSale, isThere, isAdded } = await sql.insertWishlistItem(
        tx,
        outletRefOf(ctx),
        ownerOf(ctx.shopper),
        item,
      )
      if (!isOnSale) throw fail('NOT_FOUND', 'The product does not exist or is not on sale.')
      if (isThere) throw fail('CONFLICT', 'The product is already in the wishlist.')
      if (!isAdded)
        throw fail('CONFLICT', `A wishlist can hold at most ${maxWishlistItems} products. Remove one first.`)
      return readList(tx, ctx)
    },
    refer: () => productId,
    readAgain: (tx) => readList(tx, ctx),
  })

const readList = async (tx: Tx, ctx: ShopperCtx): Promise<Answer<WishlistItem[]>> => ({
  body: showWishlistItems(ctx, await sql.listWishlistItems(tx, outletRefOf(ctx), ownerOf(ctx.shopper))),
})

export const removeWishlistItem = (ctx: ShopperCtx, entryOrProductId: string): Promise<WishlistItem[]> =>
  ctx.db.tx(async (tx) => {
    await holdShopper(tx, ctx)
    const owner = ownerOf(ctx.shopper)
    const removed = await sql.deleteWishlistItem(tx, ctx.store.id, owner, entryOrProductId)
    if (removed === 0) throw fail('NOT_FOUND', 'The wishlist has no such entry.')
    return showWishlistItems(ctx, await sql.listWishlistItems(tx, outletRefOf(ctx), owner))
  })

/**
 * Moves a guest's wishlist to a customer and returns the number of entries the guest had. The caller has locked the
 * guest's row. A product that both have keeps the older date. All entries of the customer stay; of the guest's entries
 * the newest that fit are moved.
 */
export const mergeWishlist = async (tx: Tx, storeId: StoreId, guestId: string, customerId: string): Promise<number> => {
  await lockCustomer(tx, storeId, customerId)
  await sql.keepOlderDates(tx, storeId, guestId, customerId)
  const moved = await sql.moveWishlistItems(tx, storeId, guestId, customerId, maxWishlistItems)
  return moved + (await sql.deleteGuestWishlistItems(tx, storeId, guestId))
}

const ownerOf = (shopper: Shopper): sql.Owner =>
  shopper.kind === 'guest'
    ? { guestId: shopper.guestId, customerId: null }
    : { guestId: null, customerId: shopper.customerId }

const showWishlistItems = (ctx: ShopperCtx, rows: readonly sql.WishlistItemRow[]): WishlistItem[] =>
  rows.map((row) => ({
    id: row.id,
    productId: row.productId,
    product: {
      id: row.productId,
      name: row.name,
      price: toWire(row.priceMinor, ctx.store.currency),
      image: showImage(ctx, row.image),
      ...showSizes(ctx, row.image),
      description: row.description,
      inStock: row.inStock,
    },
    createdAt: row.createdAt.toISOString(),
  }))
