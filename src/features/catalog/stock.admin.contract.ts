import Type, { type Static } from 'typebox'
import { countedPage, listFormat, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, periodQuery, storeParams } from '../access/admin.contract.ts'

const id = Type.String({ minLength: 1, maxLength: 100 })
const sku = Type.String({ minLength: 1, maxLength: 200 })
const maxUnits = 1_000_000_000

/** Why a stock row changes. */
const causes = ['opening', 'order', 'cancel', 'refund', 'return', 'adjustment', 'import'] as const
export type MoveCause = (typeof causes)[number]

const units = {
  onHand: Type.Integer({
    description: '`available` and `reserved` together. Units of paid orders are sold, and not in it',
  }),
  reserved: Type.Integer({ description: 'Units that unpaid orders hold' }),
  available: Type.Integer({ description: 'Units that can be sold' }),
}

const StockLevel = named(
  'StockLevel',
  Type.Object({
    variantId: Type.String(),
    productId: Type.String(),
    outletId: Type.String(),
    sku: Type.String(),
    name: Type.String({ description: 'The name of the product' }),
    variant: Type.String({ description: 'The title of the variant, or empty' }),
    tracked: Type.Boolean({ description: 'False: always in stock, and not counted' }),
    ...units,
    lowStockThreshold: Type.Integer({ description: 'Available units at which it is low in stock' }),
    low: Type.Boolean({ description: 'Low in stock or sold out. Not where it was never counted' }),
  }),
)

const exampleLevel = {
  ...{ variantId: 'var_1m7mj220q32w1b1vwkvc69', productId: 'prod_1m7mj220q32w1b1vwkvc69' },
  ...{ outletId: 'outlet_1m7mj220q32w1b1vwkvc69', sku: 'KC-MUG-OAT', name: 'Stoneware mug', variant: 'Oat' },
  ...{ tracked: true, onHand: 12, reserved: 2, available: 10, lowStockThreshold: 5, low: false },
}

const StockMove = named(
  'StockMove',
  Type.Object({
    id: Type.Integer(),
    at: Type.String({ format: 'date-time' }),
    variantId: Type.String(),
    outletId: Type.String(),
    cause: oneOf(causes, {
      description: '`opening`: what was there when the ledger began',
    }),
    onHandChange: Type.Integer(),
    reservedChange: Type.Integer(),
    availableChange: Type.Integer(),
    onHand: Type.Integer({ description: 'Units on hand after the move' }),
    reserved: Type.Integer({ description: 'Reserved units after the move' }),
    available: Type.Integer({ description: 'Available units after the move' }),
    orderId: nullable(Type.String()),
    reason: nullable(Type.String()),
    author: Type.Union([
      Type.Object({
        kind: oneOf(['staff', 'token', 'command'], { description: '`command`: an operator at the command line' }),
        id: Type.String(),
        name: Type.String(),
      }),
      Type.Null(),
    ]),
  }),
)

const exampleMove = {
  ...{ id: 1042, at: '2026-11-17T09:30:00.000Z', variantId: exampleLevel.variantId, outletId: exampleLevel.outletId },
  ...{ cause: 'adjustment', onHandChange: -2, reservedChange: 0, availableChange: -2 },
  ...{ onHand: 12, reserved: 2, available: 10, orderId: null, reason: 'Two broken in the shop' },
  author: { kind: 'staff', id: 'stf_1m7mj220q32w1b1vwkvc69', name: 'Meera Iyer' },
}

const AdjustedStock = Type.Object({ variantId: Type.String(), outletId: Type.String(), ...units })

const adjustBody = Type.Object({
  variantId: Type.Optional(id),
  sku: Type.Optional(Type.String({ ...sku, description: 'In place of `variantId`, if one variant alone has it' })),
  outletId: Type.Optional(Type.String({ ...id, description: 'The default outlet if absent' })),
  delta: Type.Optional(
    Type.Integer({ minimum: -maxUnits, maximum: maxUnits, description: 'Units to add to what can be sold' }),
  ),
  set: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: maxUnits },
      description: 'Units that can be sold from now on: `available`, without those that unpaid orders hold',
    }),
  ),
  onHand: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: maxUnits },
      description:
        'Units that were counted, with those that unpaid orders hold, and without those of paid orders that wait to be sent',
    }),
  ),
  reason: Type.String({ minLength: 1, maxLength: 500 }),
})
export type AdjustBody = Static<typeof adjustBody>

const stockQuery = Type.Object({
  outletId: Type.Optional(id),
  variantId: Type.Optional(id),
  sku: Type.Optional(sku),
  productId: Type.Optional(id),
  q: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 200 },
      description: 'Words of a product on sale, as in a search of the shop, or a whole SKU',
    }),
  ),
  stock: Type.Optional(
    oneOf(['out', 'low'], { description: '`out`: nothing can be sold. `low`: at or below the threshold, or out' }),
  ),
  limit: pageLimit,
  cursor: pageCursor,
  format: listFormat,
})
export type StockQuery = Static<typeof stockQuery>

const movesQuery = Type.Object({
  variantId: Type.Optional(Type.String({ ...id, description: 'Required, unless there is a `sku`' })),
  sku: Type.Optional(sku),
  outletId: Type.Optional(id),
  cause: Type.Optional(oneOf(causes)),
  ...periodQuery,
  limit: pageLimit,
  cursor: pageCursor,
  format: listFormat,
})
export type MovesQuery = Static<typeof movesQuery>

const path = '/admin/v1/stores/{storeId}/stock'
const tag = 'Stock'
const reads = { tag, access: 'store', permission: 'catalog:read' } as const
const page = { nextCursor: null, hasMore: false, total: 1, totalIsExact: true }

export const stockContract = {
  adminListStock: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams },
    summary: 'List the stock of each variant at each outlet',
    description: 'Without variants that are switched off, and those of archived products.',
    query: stockQuery,
    ok: countedPage(StockLevel),
    csv: true,
    errors: ['NOT_FOUND'],
    example: { data: [exampleLevel], ...page },
  }),
  adminAdjustStock: adminEndpoint({
    ...{ tag, access: 'store', permission: 'stock:write', method: 'POST', path: `${path}/adjust`, params: storeParams },
    summary: 'Change how many units of a variant can be sold at an outlet',
    description:
      'Send `variantId` or `sku`, and one of `delta`, `set` and `onHand`. `set` is the number of available units: those on hand, less those reserved for unpaid orders. After a stocktake send `onHand`, and the service subtracts what is reserved at that moment. Do not count units of paid orders that are not sent yet. Reserved units stay reserved. Units that are not available cannot be taken away: the answer is 409 `INSUFFICIENT_STOCK`. `set` and `onHand` make an untracked variant tracked.',
    body: adjustBody,
    ok: AdjustedStock,
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_STOCK'],
    example: {
      ...{ variantId: exampleLevel.variantId, outletId: exampleLevel.outletId, onHand: 12, reserved: 2, available: 10 },
    },
  }),
  adminListStockMoves: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/moves`, params: storeParams },
    summary: 'List every change of the stock of a variant, newest first',
    query: movesQuery,
    ok: countedPage(StockMove),
    csv: true,
    errors: ['NOT_FOUND'],
    example: { data: [exampleMove], ...page },
  }),
}
