import type { Columns, Harmless, NamedRow } from './columns.ts'

/** WooCommerce writes columns for each attribute; this many are read. */
const maxAttributes = 20

export const attributeNumbers = Array.from({ length: maxAttributes }, (_, i) => i + 1)

type AttributeColumn = `attribute${number}` | `values${number}`

const attributeColumns: Record<AttributeColumn, string[]> = Object.fromEntries(
  attributeNumbers.flatMap((n) => [
    [`attribute${n}`, [`attribute ${n} name`]],
    [`values${n}`, [`attribute ${n} value(s)`]],
  ]),
)

/** The columns of WooCommerce's product export that an import reads. */
const columnNames = {
  id: ['id'],
  type: ['type'],
  sku: ['sku'],
  gtin: ['gtin, upc, ean, or isbn', 'gtin', 'ean'],
  name: ['name'],
  slug: ['slug'],
  published: ['published'],
  visibility: ['visibility in catalog'],
  shortDescription: ['short description'],
  description: ['description'],
  saleStart: ['date sale price starts'],
  saleEnd: ['date sale price ends'],
  inStock: ['in stock?'],
  stock: ['stock'],
  backorders: ['backorders allowed?'],
  grams: ['weight (g)'],
  kilograms: ['weight (kg)'],
  pounds: ['weight (lbs)'],
  ounces: ['weight (oz)'],
  salePrice: ['sale price'],
  regularPrice: ['regular price'],
  categories: ['categories'],
  tags: ['tags'],
  brands: ['brands', 'brand'],
  images: ['images'],
  downloadName: ['download 1 name'],
  downloadUrl: ['download 1 url'],
  parent: ['parent'],
  position: ['position'],
}
export type WooColumn = keyof typeof columnNames | AttributeColumn
export type WooRow = NamedRow<WooColumn>
export type WooColumns = Columns<WooColumn>

export const wooColumnNames: Record<WooColumn, string[]> = { ...columnNames, ...attributeColumns }

export const harmlessWooColumns: Harmless = {
  'is featured?': /^0$/,
  'tax status': /^taxable$/i,
  'sold individually?': /^0$/,
  'allow customer reviews?': /^[01]$/,
  'download limit': /^-1$/,
  'download expiry days': /^-1$/,
  ...Object.fromEntries(
    attributeNumbers.flatMap((n) => [
      [`attribute ${n} visible`, /./],
      [`attribute ${n} global`, /./],
      [`attribute ${n} default`, /./],
      [`download ${n} id`, /./],
    ]),
  ),
}
