import { fail } from '../../core/errors.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { adminRoutes } from '../context.ts'
import { adjustStock, readUnits, type StockChange } from './adjust-stock.ts'
import { findOutlet } from './products.ts'
import { type AdjustBody, stockContract } from './stock.admin.contract.ts'
import { answerMoves, answerStock } from './stock-list.ts'

export const stockRoutes = adminRoutes(stockContract, {
  adminListStock: ({ ctx, query }) => answerStock(ctx, query),
  adminAdjustStock: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      route: 'adminAdjustStock',
      request: body,
      write: async (tx) => ({ body: await adjustStock(tx, ctx.store, ctx.by, readChange(body)) }),
      refer: ({ variantId, outletId }) => `${variantId} ${outletId}`,
      readAgain: async (tx, ref) => {
        const [variantId = '', outletId = ''] = ref.split(' ')
        const units = await readUnits(tx, ctx.store, variantId, findOutlet(ctx.store, outletId))
        return { body: { variantId, outletId, ...units } }
      },
    }),
  adminListStockMoves: ({ ctx, query }) => answerMoves(ctx, query),
})

const readChange = ({ variantId, sku, outletId, delta, set, onHand, reason }: AdjustBody): StockChange => {
  if ((variantId === undefined) === (sku === undefined)) throw fail('BAD_REQUEST', 'Send either variantId or sku.')
  const named = { product: null, variantId: variantId ?? sku ?? null, outletId: outletId ?? null, reason }
  const sent = [delta, set, onHand].filter((units) => units !== undefined)
  if (sent.length !== 1) throw fail('BAD_REQUEST', 'Send one of delta, set and onHand.')
  if (delta !== undefined) return { ...named, delta }
  return onHand === undefined ? { ...named, quantity: set ?? 0 } : { ...named, onHand }
}
