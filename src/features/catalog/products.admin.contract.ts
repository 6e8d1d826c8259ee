import Type, { type Static } from 'typebox'
import { countedPage, listFormat, named, nullable, oneOf, pageCursor, pageLimit } from '../../http/schema.ts'
import { adminEndpoint, storeParams } from '../access/admin.contract.ts'
import { Product, ProductDetail, Variant } from './catalog.contract.ts'

const time = Type.String({ format: 'date-time' })
const idText = Type.String({ minLength: 1, maxLength: 300 })
const amount = Type.Number({ minimum: 0, maximum: 1e12 })
const statuses = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const
const outletPrices = Type.Record(Type.String(), Type.Number(), {
  description: 'Prices of outlets that differ, by outlet id',
})

export const AdminVariant = named(
  'AdminVariant',
  Type.Object({
    ...Variant.properties,
    productId: Type.String(),
    active: Type.Boolean({ description: '`false`: cannot be bought' }),
    position: Type.Integer(),
    price: Type.Number({ description: 'Where the outlet has no price of its own' }),
    prices: outletPrices,
    stock: Type.Number({ description: 'Units that can be bought at the default outlet; 999 if not tracked' }),
    stockByOutlet: Type.Record(Type.String(), Type.Integer(), { description: 'Units by outlet id' }),
    lowStockThreshold: nullable(Type.Integer({ description: "Of the variant itself. Null: the store's" })),
    mediaId: nullable(Type.String({ description: 'The uploaded picture. Null if the image is elsewhere' })),
  }),
)
export type AdminVariant = Static<typeof AdminVariant>

const more = {
  categoryId: nullable(Type.String()),
  vendor: Type.String(),
  tags: Type.Array(Type.String()),
  taxRate: Type.Number({ description: 'Percent' }),
  sku: Type.String({ description: 'Of the only variant; empty if there are several' }),
  createdAt: time,
  updatedAt: time,
}

export const AdminProductItem = named(
  'AdminProductItem',
  Type.Object({ ...Product.properties, ...more, variantCount: Type.Integer({ description: 'Active variants' }) }),
)
export type AdminProductItem = Static<typeof AdminProductItem>

export const AdminProduct = named(
  'AdminProduct',
  Type.Object({
    ...Product.properties,
    ...more,
    media: Type.Array(
      Type.Object({
        id: nullable(Type.String({ description: 'The uploaded picture. Null if the image is elsewhere' })),
        ...ProductDetail.properties.media.items.properties,
      }),
      { description: 'The images of `images` with their alternative texts, which may be empty' },
    ),
    barcode: Type.String(),
    weightGrams: nullable(Type.Number()),
    lowStockThreshold: nullable(Type.Integer({ description: 'Of the only variant. Null: as the store says' })),
    prices: outletPrices,
    seo: Type.Object({ title: Type.String(), description: Type.String() }),
    digital: Type.Boolean({ description: 'Delivered as a download' }),
    download: Type.Union([
      Type.Object({
        url: Type.Optional(Type.String()),
        file: Type.Optional(Type.String({ description: 'A name in the files folder of the store' })),
        name: Type.Optional(Type.String()),
      }),
      Type.Null(),
    ]),
    options: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.String()) })),
    variants: Type.Array(AdminVariant),
  }),
)
export type AdminProduct = Static<typeof AdminProduct>

/** Null clears a field. */
const clearable = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ maxLength, ...(description === undefined ? {} : { description }) })))
const priceInput = Type.Optional(
  Type.Unsafe<Record<string, number | null> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: ['number', 'null'], minimum: 0 },
    description: 'Prices of outlets, by outlet id. Null removes one, or all',
  }),
)
const variantFields = {
  sku: clearable(200),
  price: Type.Optional(amount),
  compareAtPrice: Type.Optional(nullable(amount)),
  prices: priceInput,
  barcode: clearable(200),
  weightGrams: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 999_999_999 }))),
  lowStockThreshold: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: "Available units at which it is low in stock. Null: the store's",
      }),
    ),
  ),
}
const stock = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Units at the default outlet. Null: not tracked. Later changes are made by `stock/adjust`',
    }),
  ),
)
const ownVariantFields = {
  ...variantFields,
  title: Type.Optional(Type.String({ maxLength: 300 })),
  options: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 200 }))),
  image: clearable(2000),
  mediaId: clearable(100, 'An uploaded picture, instead of `image`'),
  active: Type.Optional(Type.Boolean()),
}
const Image = Type.Union([
  Type.String({ maxLength: 2000 }),
  Type.Object({ url: Type.String({ maxLength: 2000 }), alt: Type.Optional(Type.String({ maxLength: 2000 })) }),
])
const productFields = {
  slug: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  description: clearable(200_000),
  category: clearable(1000, 'Id, slug or path such as `Home > Kitchen`. A new path is created'),
  categoryId: clearable(100, 'Instead of `category`. Must exist'),
  vendor: clearable(300),
  images: Type.Optional(Type.Array(Image, { maxItems: 250 })),
  media: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ minLength: 1, maxLength: 100 }),
        alt: Type.Optional(Type.String({ maxLength: 2000, description: "Without it, the picture's own" })),
      }),
      { maxItems: 250, description: 'Uploaded pictures, instead of `images`' },
    ),
  ),
  status: Type.Optional(oneOf(statuses)),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 250 })),
  seo: Type.Optional(
    Type.Object({
      title: Type.Optional(Type.String({ maxLength: 1000 })),
      description: Type.Optional(Type.String({ maxLength: 5000 })),
    }),
  ),
  options: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1, maxLength: 200 }),
        values: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 250 }),
      }),
      { maxItems: 10 },
    ),
  ),
  download: Type.Optional(
    Type.Unsafe<{ url?: string; file?: string; name?: string } | null>({
      type: ['object', 'null'],
      properties: {
        url: { type: 'string', maxLength: 2000 },
        file: { type: 'string', maxLength: 500 },
        name: { type: 'string', maxLength: 300 },
      },
      description: 'The file that is sold. Null: none',
    }),
  ),
  taxRate: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 100 }))),
  ...variantFields,
}
const name = Type.String({ minLength: 1, maxLength: 500 })

export const VariantBody = Type.Object({ ...ownVariantFields, stock })
export type VariantBody = Static<typeof VariantBody>
export const VariantEdit = Type.Object({
  ...ownVariantFields,
  stockTracked: Type.Optional(
    Type.Boolean({ description: '`false`: always in stock. `true` starts to count, without units' }),
  ),
})
export type VariantEdit = Static<typeof VariantEdit>
export const ProductBody = Type.Object({
  name,
  ...productFields,
  stock,
  variants: Type.Optional(Type.Array(VariantBody, { minItems: 1, maxItems: 2000 })),
})
export type ProductBody = Static<typeof ProductBody>
export const VariantOfChange = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Absent: a new variant' })),
  ...VariantEdit.properties,
  stock: Type.Optional(
    Type.Unsafe<number | Record<string, number> | null>({
      type: ['integer', 'object', 'null'],
      minimum: 0,
      maximum: 1_000_000_000,
      additionalProperties: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
      description:
        'Only of a new variant: units at the default outlet, or by outlet id. Null: not tracked. Later changes are made by `stock/adjust`',
    }),
  ),
})
export type VariantOfChange = Static<typeof VariantOfChange>
export const ProductChange = Type.Object({
  name: Type.Optional(name),
  ...productFields,
  variants: Type.Optional(
    Type.Array(VariantOfChange, {
      maxItems: 2000,
      description: 'Variants to change and to add, all or none of them. Others stay as they are',
    }),
  ),
})
export type ProductChange = Static<typeof ProductChange>
export const ProductCopy = Type.Object({ name: Type.Optional(name), status: Type.Optional(oneOf(statuses)) })
export type ProductCopy = Static<typeof ProductCopy>

export const AdminProductQuery = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words or word prefixes of name, SKU, vendor, tags and texts' }),
  ),
  status: Type.Optional(oneOf(statuses)),
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug; includes its descendants' }),
  ),
  stock: Type.Optional(
    oneOf(['out', 'low'], {
      description:
        '`out`: an active variant is sold out at an outlet. `low`: at or below its threshold, or out. Without archived products, unless `status` asks for them',
    }),
  ),
  sort: Type.Optional(Type.Enum(['newest', 'oldest', 'name', '-name'], { default: 'newest' })),
  limit: pageLimit,
  cursor: pageCursor,
  format: listFormat,
})
export type AdminProductQuery = Static<typeof AdminProductQuery>

const exampleItem = {
  ...{ id: 'prod_01k8x0v3m7q2w9c4t6y8za', name: 'Café au lait mug', slug: 'cafe-au-lait-mug', status: 'DRAFT' },
  ...{ description: 'A stoneware mug that holds 300 ml.', price: 449, compareAtPrice: 549, currency: 'INR' },
  ...{ category: 'Mugs and cups', categoryId: 'cat_01k8x0v3m7q2w9c4t6y8zc', stock: 17, stockTracked: true },
  ...{ images: [], hasVariants: false, vendor: 'Kavya & Co.', tags: ['new'], taxRate: 12, sku: 'MUG-CAFE' },
  ...{ createdAt: '2026-11-17T09:30:00.000Z', updatedAt: '2026-11-17T09:30:00.000Z', variantCount: 1 },
}
const exampleVariant = {
  ...{ id: 'var_01k8x0v3m7q2w9c4t6y8zb', productId: exampleItem.id, sku: 'MUG-CAFE', title: '', options: {} },
  ...{ price: 449, compareAtPrice: 549, prices: {}, stock: 17, stockTracked: true, stockByOutlet: { outlet_1: 17 } },
  ...{ barcode: '4006381333931', weightGrams: 320, image: '', active: true, position: 0 },
  ...{ lowStockThreshold: null, mediaId: null },
}
const { variantCount: _, ...shared } = exampleItem
const exampleProduct = {
  ...shared,
  ...{ barcode: exampleVariant.barcode, weightGrams: 320, prices: {}, seo: { title: '', description: '' } },
  ...{ media: [], lowStockThreshold: null, digital: false, download: null, options: [], variants: [exampleVariant] },
}

const path = '/admin/v1/stores/{storeId}/products'
const tag = 'Products'
const reads = { tag, access: 'store', permission: 'catalog:read' } as const
const writes = { tag, access: 'store', permission: 'catalog:write' } as const
const productParams = Type.Object({ ...storeParams.properties, productId: idText })
const variantParams = Type.Object({ ...productParams.properties, variantId: idText })

export const productsAdminContract = {
  adminListProducts: adminEndpoint({
    ...{ ...reads, method: 'GET', path, params: storeParams, csv: true },
    summary: 'List products of every status',
    query: AdminProductQuery,
    ok: countedPage(AdminProductItem),
    example: { data: [exampleItem], nextCursor: null, hasMore: false, total: 1, totalIsExact: true },
  }),
  adminCreateProduct: adminEndpoint({
    ...{ ...writes, method: 'POST', path, params: storeParams, once: true },
    summary: 'Create a product',
    description:
      'A product without `variants` has one, with the fields of the product. Without `slug`, it is made from the name.',
    body: ProductBody,
    ok: AdminProduct,
    okStatus: 201,
    headers: ['etag'],
    errors: ['CONFLICT'],
    example: exampleProduct,
  }),
  adminGetProduct: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{productId}`, params: productParams },
    summary: 'Read a product with all its variants',
    description: 'By id or slug. Prices and stock are those of the default outlet.',
    ok: AdminProduct,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleProduct,
  }),
  adminUpdateProduct: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{productId}`, params: productParams },
    summary: 'Change a product',
    description: 'Null clears a field. Fields of a variant, such as `price`, change the only variant of the product.',
    body: ProductChange,
    ok: AdminProduct,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleProduct,
  }),
  adminArchiveProduct: adminEndpoint({
    ...{ ...writes, method: 'DELETE', path: `${path}/{productId}`, params: productParams },
    summary: 'Archive a product',
    description: 'Shoppers no longer see it. Set another `status` to bring it back.',
    ok: null,
    okStatus: 204,
    errors: ['NOT_FOUND'],
  }),
  adminDuplicateProduct: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{productId}/duplicate`, params: productParams, once: true },
    summary: 'Copy a product',
    description: 'The copy is a draft without stock, SKUs and barcodes.',
    body: ProductCopy,
    isBodyOptional: true,
    ok: AdminProduct,
    okStatus: 201,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleProduct,
  }),
  adminListVariants: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{productId}/variants`, params: productParams },
    summary: 'List the variants of a product, including inactive ones',
    ok: Type.Object({ data: Type.Array(AdminVariant) }),
    errors: ['NOT_FOUND'],
    example: { data: [exampleVariant] },
  }),
  adminCreateVariant: adminEndpoint({
    ...{ ...writes, method: 'POST', path: `${path}/{productId}/variants`, params: productParams, once: true },
    summary: 'Add a variant to a product',
    description: 'A product without options gets its first ones: its only variant is switched off.',
    body: VariantBody,
    ok: AdminVariant,
    okStatus: 201,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleVariant,
  }),
  adminGetVariant: adminEndpoint({
    ...{ ...reads, method: 'GET', path: `${path}/{productId}/variants/{variantId}`, params: variantParams },
    summary: 'Read a variant',
    ok: AdminVariant,
    headers: ['etag'],
    errors: ['NOT_FOUND'],
    example: exampleVariant,
  }),
  adminUpdateVariant: adminEndpoint({
    ...{ ...writes, method: 'PATCH', path: `${path}/{productId}/variants/{variantId}`, params: variantParams },
    summary: 'Change a variant, or switch it off',
    description: 'Null clears a field.',
    body: VariantEdit,
    ok: AdminVariant,
    headers: ['etag'],
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: exampleVariant,
  }),
}
