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

const readChange = ({ variantId, sku, outletId, delta, set, reason }: AdjustBody): StockChange => {
  if ((variantId === undefined) === (sku === undefined)) throw fail('BAD_REQUEST', 'Send either variantId or sku.')
  const named = { product: null, variantId: variantId ?? sku ?? null, outletId: outletId ?? null, reason }
  if (delta !== undefined && set === undefined) return { ...named, delta }
  if (set !== undefined && delta === undefined) return { ...named, quantity: set }
  throw fail('BAD_REQUEST', 'Send either delta or set.')
}
