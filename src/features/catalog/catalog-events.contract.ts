import Type, { type Static } from 'typebox'
import { named } from '../../http/schema.ts'
import type { EventDeclaration, EventTypeOf } from '../events/events.contract.ts'
import { exampleProductDetail, ProductDetail } from './catalog.contract.ts'

/** A product as the catalog shows it at the default outlet. Also drafts and archived products have events. */
export const ProductEventData = named(
  'ProductEventData',
  Type.Object({
    ...ProductDetail.properties,
    status: Type.String({ description: '`ACTIVE`, `DRAFT` or `ARCHIVED`' }),
    tags: Type.Array(Type.String()),
  }),
)
export type ProductEventData = Static<typeof ProductEventData>

export const StockEventData = named(
  'StockEventData',
  Type.Object({
    variantId: Type.String(),
    productId: Type.String(),
    sku: Type.String({ description: 'Empty if none' }),
    name: Type.String({ description: 'Name of the product' }),
    variant: Type.String({ description: 'Title of the variant; empty if the product has only one' }),
    outletId: Type.String(),
    available: Type.Integer({ description: 'Units that can be sold' }),
    threshold: Type.Integer({ description: 'Units at which the variant counts as low in stock' }),
  }),
)
export type StockEventData = Static<typeof StockEventData>

const product: ProductEventData = { ...exampleProductDetail, tags: ['coffee'] }

export const productEvents: Record<EventTypeOf<'product'>, EventDeclaration> = {
  'product.created': { summary: 'A product was added to the catalog', data: ProductEventData, example: product },
  'product.updated': { summary: 'A product was changed', data: ProductEventData, example: product },
  'product.archived': {
    summary: 'A product was archived',
    data: ProductEventData,
    example: { ...product, status: 'ARCHIVED' },
  },
}

const stock: StockEventData = {
  ...{ variantId: 'var_01k8x0v3m7q2w9c4t6y8zb', productId: product.id, sku: 'MUG-CAFE', name: product.name },
  ...{ variant: '', outletId: 'outlet_01k8x0v3m7q2w9c4t6y8zf', available: 5, threshold: 5 },
}

export const stockEvents: Record<EventTypeOf<'stock'>, EventDeclaration> = {
  'stock.low': {
    summary: 'The units of a variant at an outlet have fallen to its threshold',
    data: StockEventData,
    example: stock,
  },
  'stock.out': {
    summary: 'The last unit of a variant at an outlet was sold or reserved',
    data: StockEventData,
    example: { ...stock, available: 0 },
  },
}
