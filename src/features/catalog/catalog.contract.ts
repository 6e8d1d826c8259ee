import Type, { type Static } from 'typebox'
import { named, nullable, page, pageCursor, pageLimit } from '../../http/schema.ts'
import { endpoint } from '../access/storefront.contract.ts'

/** The maximum quantity of a cart line, and the stock shown for a variant that is not tracked. */
export const maxLineQuantity = 999

const Price = (description: string) => Type.Number({ description })

export const ImageSize = named(
  'ImageSize',
  Type.Object({ width: Type.Integer(), height: Type.Integer(), url: Type.String() }),
)

/** Beside the field `image`. */
export const imageSizes = Type.Optional(
  Type.Array(ImageSize, {
    description: 'The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded',
  }),
)

const productFields = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  price: Price("The lowest price of its variants at this outlet, in the store's currency"),
  category: Type.String({ description: 'Name of its category; empty if it has none' }),
  stock: Type.Number({
    description: 'Units that can be bought at this outlet; each untracked variant counts as 999',
  }),
  stockTracked: Type.Boolean({
    description: '`false` if a variant is not tracked: it is always in stock, and `stock` is not a real count',
  }),
  images: Type.Array(Type.String(), { description: 'Image URLs' }),
  imageSizes,
  status: Type.String({ description: 'Only `ACTIVE` products are visible' }),
  slug: Type.String(),
  currency: Type.String({ description: 'ISO 4217' }),
  compareAtPrice: nullable(Type.Number({ description: 'Price before a reduction' })),
  hasVariants: Type.Boolean({ description: 'Whether a variant must be chosen to buy it' }),
}

const exampleProduct = {
  id: 'prod_01k8x0v3m7q2w9c4t6y8za',
  name: 'Café au lait mug',
  description: 'A stoneware mug that holds 300 ml.',
  price: 449,
  category: 'Mugs and cups',
  stock: 17,
  stockTracked: true,
  images: ['http://localhost:3000/demo/images/cafe-au-lait-mug.svg'],
  status: 'ACTIVE',
  slug: 'cafe-au-lait-mug',
  currency: 'INR',
  compareAtPrice: 549,
  hasVariants: false,
}

export const Product = named('Product', Type.Object(productFields))
export type Product = Static<typeof Product>

export const Variant = named(
  'Variant',
  Type.Object({
    id: Type.String(),
    sku: Type.String(),
    title: Type.String(),
    options: Type.Record(Type.String(), Type.String(), { description: 'The chosen value of each option' }),
    price: Price('At this outlet'),
    compareAtPrice: nullable(Type.Number()),
    stock: Type.Number({
      description: 'Units that can be bought at this outlet; 999, the maximum of a cart line, if not tracked',
    }),
    stockTracked: Type.Boolean({ description: '`false`: always in stock, units are not counted' }),
    barcode: Type.String({ description: 'GTIN, EAN, UPC or ISBN; empty if it has none' }),
    weightGrams: nullable(Type.Number()),
    image: Type.String({ description: 'URL of its own image; empty if it has none' }),
    imageSizes,
  }),
)

export const ProductDetail = named(
  'ProductDetail',
  Type.Object({
    ...productFields,
    options: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.String()) })),
    variants: Type.Array(Variant),
    seo: Type.Object({ title: Type.String(), description: Type.String() }),
    vendor: Type.String({ description: 'Manufacturer or brand; may be empty' }),
    media: Type.Array(
      Type.Object({
        url: Type.String(),
        alt: Type.String(),
        width: Type.Optional(Type.Integer()),
        height: Type.Optional(Type.Integer()),
        sizes: imageSizes,
      }),
      { description: 'The images of `images` with their alternative texts, which may be empty' },
    ),
    digital: Type.Boolean({ description: 'Delivered as a download' }),
  }),
)
export type ProductDetail = Static<typeof ProductDetail>

export const Category = named(
  'Category',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    parentId: nullable(Type.String()),
    image: Type.String(),
    imageSizes,
    productCount: Type.Integer({ description: 'Number of ACTIVE products directly in it' }),
    position: Type.Integer(),
  }),
)
export type Category = Static<typeof Category>

const listSorts = ['newest', 'price', '-price', 'name', '-name'] as const

const filters = {
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Id or slug; includes its descendants' }),
  ),
  ids: Type.Optional(
    Type.String({ minLength: 1, maxLength: 5000, description: 'Product ids, comma-separated, at most 100' }),
  ),
  minPrice: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12 })),
  maxPrice: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12 })),
  inStock: Type.Optional(
    Type.Boolean({ description: '`true`: only products in stock; `false`: only products out of stock' }),
  ),
  options: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description:
        'Options that one variant must have, such as `Colour:Indigo,Size:S`. Several values of one option are alternatives. Escape a comma or colon inside a name or value with a backslash',
    }),
  ),
}

export const ListQuery = Type.Object({
  ...filters,
  sort: Type.Optional(Type.Enum(listSorts, { default: 'newest' })),
  limit: pageLimit,
  cursor: pageCursor,
})
export type ListQuery = Static<typeof ListQuery>

export const SearchQuery = Type.Object({
  q: Type.String({ maxLength: 200, description: 'Words or word prefixes' }),
  ...filters,
  sort: Type.Optional(Type.Enum(['relevance', ...listSorts], { default: 'relevance' })),
  limit: pageLimit,
  cursor: pageCursor,
})
export type SearchQuery = Static<typeof SearchQuery>

const CategoryCount = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  count: Type.Integer(),
})

export const SearchResult = named(
  'SearchResult',
  Type.Object({
    ...page(Product).properties,
    total: Type.Integer({ description: 'Number of matching products' }),
    totalIsExact: Type.Boolean({
      description: '`false` beyond 1,000 matches: `total` is then an estimate or a lower bound',
    }),
    correctedQuery: nullable(
      Type.String({
        description:
          'The query that was used if misspelt words were replaced by words of the store; `null` if nothing was corrected or found',
      }),
    ),
    facets: Type.Object(
      {
        categories: Type.Array(CategoryCount),
        price: Type.Object({ min: nullable(Type.Number()), max: nullable(Type.Number()) }),
        inStock: Type.Object({ count: Type.Integer() }),
      },
      { description: 'Of all matches, or estimates from a sample of them if `totalIsExact` is `false`' },
    ),
  }),
)
export type SearchResult = Static<typeof SearchResult>

export const Suggestions = named(
  'Suggestions',
  Type.Object({
    products: Type.Array(
      Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String(), image: Type.String(), imageSizes }),
    ),
    categories: Type.Array(Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() })),
  }),
)
export type Suggestions = Static<typeof Suggestions>

const read = {
  method: 'GET',
  tag: 'Catalog',
  access: 'store',
  scope: 'products:read',
  cached: true,
} as const

export const exampleProductDetail: ProductDetail = {
  ...exampleProduct,
  options: [],
  variants: [
    {
      id: 'var_01k8x0v3m7q2w9c4t6y8zb',
      sku: 'MUG-CAFE',
      title: '',
      options: {},
      price: 449,
      compareAtPrice: 549,
      stock: 17,
      stockTracked: true,
      barcode: '4006381333931',
      weightGrams: 320,
      image: '',
    },
  ],
  seo: { title: 'Café au lait mug', description: '' },
  vendor: 'Kavya & Co.',
  media: [{ url: exampleProduct.images[0] ?? '', alt: 'A mug of milky coffee, seen from above' }],
  digital: false,
}

export const catalogContract = {
  listProducts: endpoint({
    ...read,
    path: '/v1/products',
    summary: 'List products',
    description:
      'Returns a bare array. Paging is in the headers: follow `X-Next-Cursor` or `Link` while `X-Has-More` is `true`.',
    query: ListQuery,
    ok: Type.Array(Product),
    headers: ['x-next-cursor', 'x-has-more', 'link'],
    example: [exampleProduct],
  }),
  showProduct: endpoint({
    ...read,
    path: '/v1/products/{idOrSlug}',
    summary: 'Show a product with its variants',
    params: Type.Object({ idOrSlug: Type.String({ maxLength: 300, description: 'Id or slug of the product' }) }),
    ok: ProductDetail,
    errors: ['NOT_FOUND'],
    example: exampleProductDetail,
  }),
  listCategories: endpoint({
    ...read,
    path: '/v1/categories',
    summary: 'List categories',
    description: 'In the order of `position`. Build the tree from `parentId`.',
    query: Type.Object({ limit: pageLimit, cursor: pageCursor }),
    ok: page(Category),
    example: {
      data: [
        {
          id: 'cat_01k8x0v3m7q2w9c4t6y8zc',
          name: 'Mugs and cups',
          slug: 'mugs-and-cups',
          parentId: 'cat_01k8x0v3m7q2w9c4t6y8zd',
          image: '',
          productCount: 4,
          position: 2,
        },
      ],
      nextCursor: null,
      hasMore: false,
    },
  }),
  search: endpoint({
    ...read,
    path: '/v1/search',
    summary: 'Search products',
    description:
      'Every word must match the product, whole or as a prefix. Accents and plurals are ignored, and typos are corrected.',
    query: SearchQuery,
    ok: SearchResult,
    example: {
      data: [exampleProduct],
      nextCursor: null,
      hasMore: false,
      total: 1,
      totalIsExact: true,
      correctedQuery: null,
      facets: {
        categories: [{ id: 'cat_01k8x0v3m7q2w9c4t6y8zc', name: 'Mugs and cups', slug: 'mugs-and-cups', count: 1 }],
        price: { min: 449, max: 449 },
        inStock: { count: 1 },
      },
    },
  }),
  suggest: endpoint({
    ...read,
    path: '/v1/search/suggest',
    summary: 'Suggest products and categories while the shopper types',
    query: Type.Object({ q: Type.String({ maxLength: 200 }) }),
    ok: Suggestions,
    example: {
      products: [
        {
          id: exampleProduct.id,
          slug: exampleProduct.slug,
          name: exampleProduct.name,
          image: exampleProduct.images[0],
        },
      ],
      categories: [{ id: 'cat_01k8x0v3m7q2w9c4t6y8zc', slug: 'mugs-and-cups', name: 'Mugs and cups' }],
    },
  }),
}
