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

/** Several texts as one; null if there are none. */
export type JoinedTexts = { texts: string | null }

/** Where the products of a page are in its order, as JSON: the values of `orderBy`, of which `seq` is the last. */
export const listPlaces = (db: Db, outlet: OutletRef, page: ListPage) => {
  const rest = conditions(outlet.storeId, page)
  if (page.position !== undefined) rest.push(after(page.sort, page.position))
  const here = sql`l.store_id = ${outlet.storeId} and l.outlet_id = ${outlet.outletId}`
  const order = orderBy(page.sort)
  const bound = pageBound(page.limit)
  const columns = sql`l.seq, l.price_minor, l.name_key`
  // For a category, each descendant is read in order from its own range of the index, and the results are merged. The
  // cost depends on the number of categories, not on the number of products.
  const rows =
    page.categoryIds === undefined
      ? sql`select ${columns} from listing l where ${allOf([here, ...rest])} order by ${order} limit ${bound}`
      : sql`select ${columns} from unnest(${page.categoryIds}::text[]) as wanted (category_id) cross join lateral (
          select ${columns} from listing l where ${allOf([here, sql`l.category_id = wanted.category_id`, ...rest])}
          order by ${order} limit ${bound}) l
        order by ${order} limit ${bound}`
  // How many rows a filter matches decides which index is best, so these lists are planned with their actual values.
  const planned = page.minMinor ?? page.maxMinor ?? page.inStock ?? page.options
  const queries = planned === undefined ? db : db.fresh
  return queries.one<JoinedTexts>`
    select string_agg(${placeInJson(page.sort)}, ',') as texts
    from (select * from (${rows}) l limit ${page.limit}) l`
}

/** The next page starts after it. */
const placeInJson = (sort: Sort) => {
  if (sort === 'newest') return sql`concat('[', l.seq, ']')`
  const value = sort === 'name' || sort === '-name' ? sql`to_json(l.name_key)` : sql`l.price_minor`
  return sql`concat('[', ${value}, ',', l.seq, ']')`
}

/** By which a search is sorted, for its next page. In any order. */
export const readNameKeys = (db: Db, { storeId, outletId }: OutletRef, seqs: readonly number[]) =>
  db.many<{ seq: number; nameKey: string }>`
    select l.seq, l.name_key as "nameKey" from unnest(${seqs}::bigint[]) as wanted (seq) cross join ${byKey(sql`
      select seq, name_key from listing where store_id = ${storeId} and outlet_id = ${outletId} and seq = wanted.seq`)} l`

/** No text in JSON has these characters. */
export const ends = { product: '\u001e', images: '\u001f' }

/** What the database cannot know when it writes products. */
export type Money = { currency: string; minorUnits: number; untrackedStock: number }

/**
 * Products as JSON, each behind its `seq`, in any order, which `readProducts` reads. Parsing rows and serializing them again
 * took Node three times as long (decision 0056).
 */
export const writeProducts = (db: Db, { storeId, outletId }: OutletRef, seqs: readonly number[], money: Money) =>
  db.one<JoinedTexts>`
    select string_agg(concat(s.seq, ${productInJson(money)}), e'\\x1e') as texts
    from (${productColumns(
      storeId,
      sql`select l.* from unnest(${seqs}::bigint[]) as wanted (seq) cross join ${byKey(sql`
        select * from listing where store_id = ${storeId} and outlet_id = ${outletId} and seq = wanted.seq`)} l`,
    )}) s`

/**
 * As the schema writes it, but for the images, which have no address yet. Prices are divided in floating point as in
 * Node, and both write the fewest digits that tell a number from others.
 */
const productInJson = ({ currency, minorUnits, untrackedStock }: Money) => {
  const whole = (minor: Fragment) => sql`${minor} / ${minorUnits}::float8`
  return sql`'{"id":', to_json(s.id), ',"name":', to_json(s.name), ',"description":', to_json(s.description),
    ',"price":', ${whole(sql`s."priceMinor"`)}, ',"category":', to_json(coalesce(s.category, '')),
    ',"stock":', s.stock + s.untracked * ${untrackedStock}::integer, ',"stockTracked":', (s.untracked = 0)::text,
    ',"images":', e'\\x1f', to_json(s.images), e'\\x1f', ',"status":"ACTIVE","slug":', to_json(s.slug),
    ',"currency":"', ${currency}::text, '","compareAtPrice":',
    coalesce((${whole(sql`s."compareAtMinor"`)})::text, 'null'), ',"hasVariants":', s."hasVariants"::text, '}'`
}

/** Only two values, so that all sizes of a page share two statements. */
const pageBound = (limit: number) => literalLimit(limit <= 21 ? 21 : 101)

/** The columns of products, one by one, for the selected listing rows. */
export const productColumns = (storeId: StoreId, listingRows: Fragment, more: Fragment = sql``) => sql`
  select p.id, l.seq, l.name_key as "nameKey", p.slug, p.name, p.description,
    (select c.name from category c where c.store_id = ${storeId} and c.id = p.category_id) as category, p.images,
    p.has_variants as "hasVariants", l.price_minor as "priceMinor", l.compare_at_minor as "compareAtMinor",
    k.stock, k.untracked${more}
  from (${listingRows}) l
  cross join ${byKey(sql`select * from product where store_id = ${storeId} and id = l.product_id`)} p
  cross join lateral (
    select coalesce(sum(s.on_hand - s.reserved) filter (where v.stock_tracked), 0)::integer as stock,
      (count(*) filter (where not v.stock_tracked))::integer as untracked
    from variant v
    left join ${byKey(sql`select s.on_hand, s.reserved from stock s
      where s.store_id = ${storeId} and s.variant_id = v.id and s.outlet_id = l.outlet_id`)} s on true
    where v.store_id = ${storeId} and v.product_id = l.product_id and v.active) k`

/** One active variant, as it is in JSON. */
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
  weightGrams: number | null
  image: string
}

export type DetailRow = Omit<ProductRow, 'stock' | 'untracked'> & {
  options: { name: string; values: string[] }[]
  seo: { title: string; description: string }
  vendor: string
  imageTexts: string[]
  digital: boolean
  variants: VariantRow[]
}

/** A product that is listed at the outlet, by its id or else by its slug. */
export const findProduct = (db: Db, { storeId, outletId }: OutletRef, idOrSlug: string) => db.maybeOne<DetailRow>`
  select p.id, p.slug, p.name, p.description, p.images, p.has_variants as "hasVariants", l.price_minor as "priceMinor",
    l.compare_at_minor as "compareAtMinor", p.options, p.seo, p.vendor, p.image_texts as "imageTexts",
    p.digital is not null as digital,
    (select c.name from category c where c.store_id = ${storeId} and c.id = p.category_id) as category,
    coalesce((select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'title', v.title, 'options', v.options,
        'priceMinor', coalesce((select o.price_minor from price_override o
          where o.store_id = ${storeId} and o.variant_id = v.id and o.outlet_id = ${outletId}), v.price_minor),
        'compareAtMinor', v.compare_at_minor,
        'stock', coalesce((select s.on_hand - s.reserved from stock s
          where s.store_id = ${storeId} and s.variant_id = v.id and s.outlet_id = ${outletId}), 0),
        'stockTracked', v.stock_tracked, 'barcode', v.barcode, 'weightGrams', v.weight_grams, 'image', v.image)
        order by v.position, v.id)
      from variant v where v.store_id = ${storeId} and v.product_id = l.product_id and v.active), '[]') as variants
  from listing l
  cross join ${byKey(sql`select * from product p where p.store_id = ${storeId} and p.id = l.product_id`)} p
  where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.product_id = coalesce(
    (select l.product_id from listing l
      where l.store_id = ${storeId} and l.outlet_id = ${outletId} and l.product_id = ${idOrSlug}),
    (select p.id from product p where p.store_id = ${storeId} and p.slug = ${idOrSlug}))`

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
