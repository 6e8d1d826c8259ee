import { fail } from '../../core/errors.ts'
import { readPeriod } from '../../core/period.ts'
import type { Queries } from '../../db/database.ts'
import { type AdminListSource, answerList } from '../admin-list.ts'
import type { AdminCtx, Store } from '../context.ts'
import { findOutlet } from './products.ts'
import { wordQuery } from './search.sql.ts'
import { wordsToFind } from './search-words.ts'
import type { MovesQuery, StockQuery } from './stock.admin.contract.ts'
import { findVariant } from './stock-change.ts'
import * as sql from './stock-list.sql.ts'

/** The stock of each variant at each outlet. */
export const answerStock = (ctx: AdminCtx, query: StockQuery) => {
  const { db, store } = ctx
  const filter: sql.StockFilter = {
    ...{ variantId: query.variantId ?? null, sku: query.sku ?? null, productId: query.productId ?? null },
    outletId: query.outletId === undefined ? null : findOutlet(store, query.outletId).id,
    words: query.q === undefined ? null : readWords(store, query.q),
    stock: query.stock ?? null,
  }
  return answerList(ctx, 'stock', query, {
    read: (position, limit) => {
      const [variantId, outletId] = position ?? []
      const after = variantId === undefined ? null : { variantId: String(variantId), outletId: Number(outletId) }
      return sql.listStock(db, store.id, filter, { after, limit })
    },
    count: (limit) => sql.countStock(db, store.id, filter, limit),
    positionOf: ({ variantId, outlet }) => [variantId, outlet],
    show: ({ outlet: _, ...row }: sql.StockRow) => row,
    columns: [
      ...(['variantId', 'productId', 'outletId', 'sku', 'name', 'variant', 'tracked', 'onHand', 'reserved'] as const),
      ...(['available', 'lowStockThreshold', 'low'] as const),
    ],
  })
}

/** All outlets list the same products, so the words of one are enough. */
const readWords = ({ defaultOutlet }: Store, text: string) => {
  const terms = wordsToFind(text).map(({ text: word, prefix }) => ({ alternatives: [word], prefix, whole: false }))
  return { query: wordQuery(defaultOutlet.id, '~', terms, true), outletId: defaultOutlet.id, text: text.trim() }
}

/** The ledger of a variant. */
export const answerMoves = async (ctx: AdminCtx, query: MovesQuery) => {
  const name = query.variantId ?? query.sku
  if (name === undefined) throw fail('BAD_REQUEST', 'Send variantId or sku.')
  const { store } = ctx
  const filter = {
    ...{ cause: query.cause ?? null, ...readPeriod(query, store.timezone) },
    outletId: query.outletId === undefined ? null : findOutlet(store, query.outletId).id,
  }
  const moves = await movesOf(ctx.db, store, name, filter)
  return answerList(ctx, 'stock-moves', query, {
    ...moves,
    columns: [
      ...(['id', 'at', 'variantId', 'outletId', 'cause', 'onHandChange', 'reservedChange', 'availableChange'] as const),
      ...(['onHand', 'reserved', 'available', 'orderId', 'reason', 'author'] as const),
    ],
  })
}

/** The latest entries in the ledger of a variant. */
export const listMoves = async (db: Queries, store: Store, variant: string, limit: number) => {
  const filter = { outletId: null, cause: null, from: null, to: null }
  const { read, show } = await movesOf(db, store, variant, filter)
  return (await read(undefined, limit)).map(show)
}

const movesOf = async (db: Queries, store: Store, variant: string, more: Omit<sql.MoveFilter, 'variantId'>) => {
  const { id } = await findVariant(db, store, { product: null, variantId: variant })
  const filter = { variantId: id, ...more }
  return {
    read: (position, limit) =>
      sql.listMoves(db, store.id, filter, { before: position === undefined ? null : Number(position[0]), limit }),
    count: (limit) => sql.countMoves(db, store.id, filter, limit),
    positionOf: (row) => [row.id],
    show: showMove,
  } satisfies AdminListSource<sql.MoveRow, ShownMove>
}

type ShownMove = ReturnType<typeof showMove>

const showMove = ({ at, actorKind, actorId, actorName, ...move }: sql.MoveRow) => ({
  ...move,
  at: at.toISOString(),
  availableChange: move.onHandChange - move.reservedChange,
  available: move.onHand - move.reserved,
  author: actorKind === null ? null : { kind: actorKind, id: actorId ?? '', name: actorName ?? '' },
})
