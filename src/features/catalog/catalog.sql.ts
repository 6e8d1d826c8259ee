import type { Db, Queries } from '../../db/database.ts'
import { byKey, literalLimit } from '../../db/plan-hints.ts'
import { allOf, type Fragment, sql } from '../../db/sql.ts'
import type { OutletId, StoreId } from '../context.ts'

export type OutletRef = { storeId: StoreId; outletId: OutletId }

export type Sort = 'newest' | 'price' | '-price' | 'name' | '-name'

/** Filters in database terms. Undefined fields do not filter. */
export type Filter = {
  categoryIds?: readonly string[] | undefined
  /** How many products these categories have. */
  categoryProducts?: number | undefined
  ids?: readonly string[] | undefined
  minMinor?: number | undefined
  maxMinor?: number | undefined
  inStock?: boolean | undefined
  options?: OptionFilter | undefined
}

/** Options that one variant must have, each with its allowed values, and the same as a tsquery for the word index. */
export type OptionFilter = { choices: readonly { name: string; values: readonly string[] }[]; query: string }

export type ProductRow = {
  id: string
  seq: number
  nameKey: string
  slug: string
  name: string
  description: string
  category: string | null
  images: string[]
  hasVariants: boolean
  priceMinor: number
  compareAtMinor: number | null
  /** Units of tracked variants. */
  stock: number
  untracked: number
}

type SortSpec = { column: Fragment; direction: Fragment; beyond: Fragment }
const ascending = { direction: sql`asc`, beyond: sql`>` }
const descending = { direction: sql`desc`, beyond: sql`<` }
const price = sql`l.price_minor`
const nameKey = sql`l.name_key`
const sortSpecs: Record<Exclude<Sort, 'newest'>, SortSpec> = {
  price: { column: price, ...ascending },
  '-price': { column: price, ...descending },
  name: { column: nameKey, ...ascending },
  '-name': { column: nameKey, ...descending },
}

export const orderBy = (sort: Sort) => {
  if (sort === 'newest') return sql`l.seq desc`
  const { column, direction } = sortSpecs[sort]
  return sql`${column} ${direction}, l.seq ${direction}`
}

/** Rows after a position, as one row comparison that an index can use. */
export const after = (sort: Sort, position: readonly (string | number)[]) => {
  if (sort === 'newest') return sql`l.seq < ${position[0]}`
  const { column, beyond } = sortSpecs[sort]
  return sql`(${column}, l.seq) ${beyond} (${position[0]}, ${position[1]})`
}

/** The sort values of a row. The next page starts after them. */
export const productPositionOf = (sort: Sort, row: ProductRow): (string | number)[] => {
  if (sort === 'newest') return [row.seq]
  return [sort === 'name' || sort === '-name' ? row.nameKey : row.priceMinor, row.seq]
}

export const conditions = (storeId: StoreId, { ids, minMinor, maxMinor, inStock, options }: Filter): Fragment[] => {
  const list: Fragment[] = []
  if (ids !== undefined) list.push(sql`l.product_id = any(${ids})`)
  if (minMinor !== undefined) list.push(sql`l.price_minor >= ${minMinor}`)
  if (maxMinor !== undefined) list.push(sql`l.price_minor <= ${maxMinor}`)
  if (inStock !== undefined) list.push(sql`l.in_stock = ${inStock}`)
  if (options !== undefined) list.push(sql`l.words @@ ${options.query}::tsquery`)
  // The index matches words of the whole product: the colour may be in one variant and the size in another.
  if (options !== undefined && options.choices.length > 1) list.push(hasVariantWith(storeId, options))
  return list
}

const hasVariantWith = (storeId: StoreId, { choices }: OptionFilter) => sql`exists (
  select from variant v where v.store_id = ${storeId} and v.product_id = l.product_id and v.active
    and ${allOf(choices.map(({ name, values }) => sql`v.options ->> ${name} = any(${values}::text[])`))})`

export type ListPage = Filter & { sort: Sort; position?: readonly (string | number)[] | undefined; limit: number }

export const listProducts = (db: Db, outlet: OutletRef, page: ListPage) => {
  const rest = conditions(outlet.storeId, page)
  if (page.position !== undefined) rest.push(after(page.sort, page.position))
  const here = sql`l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId}`
  const order = orderBy(page.sort)
  const bound = pageBound(page.limit)
  // For a category, each descendant is read in order from its own range of the index, and the results are merged. The
  // cost depends on the number of categories, not on the number of products.
  const rows =
    page.categoryIds === undefined
      ? sql`select * from listing l where ${allOf([here, ...rest])} order by ${order} limit ${bound}`
      : sql`select l.* from unnest(${page.categoryIds}::text[]) as wanted (category_id) cross join lateral (
          select * from listing l where ${allOf([here, sql`l.category_id = wanted.category_id`, ...rest])}
          order by ${order} limit ${bound}) l
        order by ${order} limit ${bound}`
  // How many rows a filter matches decides which index is best, so these lists are planned with their actual values.
  const planned = page.minMinor ?? page.maxMinor ?? page.inStock ?? page.options
  const queries = planned === undefined ? db : db.fresh
  return queries.many<ProductRow>`${productColumns(outlet.storeId, rows)} order by ${order} limit ${page.limit}`
}

/** Only two values, so that all sizes of a page share two statements. */
const pageBound = (limit: number) => literalLimit(limit <= 21 ? 21 : 101)

/** The columns of a product list, for the selected listing rows. */
export const productColumns = (storeId: StoreId, listingRows: Fragment, more: Fragment = sql``) => sql`
  select p.id, l.seq, l.name_key as "nameKey", p.slug, p.name, p.description, c.name as category, p.images,
    p.has_variants as "hasVariants", l.price_minor as "priceMinor", l.compare_at_minor as "compareAtMinor",
    coalesce((select sum(s.on_hand - s.reserved) from stock s
      join variant v on v.store_id = s.store_id and v.id = s.variant_id and v.active and v.stock_tracked
      where s.store_id = ${storeId} and s.outlet_id = l.outlet_id and s.product_id = l.product_id), 0)::integer as stock,
    (select count(*) from variant v where v.store_id = ${storeId} and v.product_id = l.product_id
      and not v.stock_tracked and v.active)::integer as untracked${more}
  from (${listingRows}) l
  cross join ${byKey(sql`select * from product where store_id = ${storeId} and id = l.product_id`)} p
  left join category c on c.store_id = ${storeId} and c.id = p.category_id`

export type DetailRow = ProductRow & {
  options: { name: string; values: string[] }[]
  seo: { title: string; description: string }
  vendor: string
  imageTexts: string[]
  digital: boolean
}

export const findProduct = (db: Db, outlet: OutletRef, idOrSlug: string) => db.maybeOne<DetailRow>`
  with shown as (${productColumns(
    outlet.storeId,
    sql`
    select l.* from product p
    cross join ${byKey(sql`select * from listing l
      where l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId} and l.product_id = p.id`)} l
    where p.store_id = ${outlet.storeId} and (p.id = ${idOrSlug} or p.slug = ${idOrSlug})
    order by p.id = ${idOrSlug} desc limit 1`,
  )})
  select shown.*, p.options, p.seo, p.vendor, p.image_texts as "imageTexts", p.digital is not null as digital
  from shown join product p on p.store_id = ${outlet.storeId} and p.id = shown.id`

export type VariantRow = {
  id: string
  sku: string
  title: string
  options: Record<string, string>
  priceMinor: number
  compareAtMinor: number | null
  stock: number
  stockTracked: boolean
  barcode: string
  weightGrams: string | null
  image: string
}

export const listVariants = (db: Db, outlet: OutletRef, productId: string) => db.many<VariantRow>`
  select v.id, v.sku, v.title, v.options, coalesce(o.price_minor, v.price_minor) as "priceMinor",
    v.compare_at_minor as "compareAtMinor", coalesce(s.on_hand - s.reserved, 0) as stock,
    v.stock_tracked as "stockTracked", v.barcode, v.weight_grams as "weightGrams", v.image
  from variant v
  left join price_override o
    on o.store_id = v.store_id and o.variant_id = v.id and o.outlet_id = ${outlet.outletId}
  left join ${byKey(sql`select on_hand, reserved from stock s
    where s.store_id = ${outlet.storeId} and s.variant_id = v.id and s.outlet_id = ${outlet.outletId}`)} s on true
  where v.store_id = ${outlet.storeId} and v.product_id = ${productId} and v.active
  order by v.position, v.id`

export type CategoryRow = {
  id: string
  name: string
  slug: string
  parentId: string | null
  image: string
  productCount: number
  position: number
}

export const listCategories = (
  db: Db,
  storeId: StoreId,
  position: readonly (string | number)[] | undefined,
  limit: number,
) => {
  const start = position === undefined ? sql`true` : sql`(c.position, c.id) > (${position[0]}, ${position[1]})`
  return db.many<CategoryRow>`
    select c.id, c.name, c.slug, c.parent_id as "parentId", c.image, c.product_count as "productCount", c.position
    from category c
    where c.store_id = ${storeId} and ${start}
    order by c.position, c.id limit ${limit}`
}

/** A category, given by id or slug, and all its descendants. Empty if it does not exist. */
export const findCategoryTree = (db: Queries, storeId: StoreId, idOrSlug: string) => db.many<{
  id: string
  products: number
}>`
  with recursive tree as (
    select id, product_count from category where store_id = ${storeId} and (id = ${idOrSlug} or slug = ${idOrSlug})
    union
    select c.id, c.product_count from tree join category c on c.store_id = ${storeId} and c.parent_id = tree.id)
  select id, product_count as products from tree`
