import type { Queries, Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'

/** Rows are passed as one JSON parameter, so a thousand products need as many round trips as one. */
export const json = (rows: readonly object[]) => JSON.stringify(rows)

/**
 * Allows one writer of a store's catalog at a time: two concurrent imports would both create the same new category or
 * product. Shoppers and stock changes do not take this lock.
 */
export const lockCatalog = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${catalogLock}::integer, ${storeId}::integer)`

const catalogLock = 7150423

/** Sets whether the units of a variant are counted. No row if that does not change. */
export const setTracked = (tx: Tx, storeId: StoreId, variantId: string, tracked: boolean) => tx.maybeOne<{
  id: string
}>`
  update variant set stock_tracked = ${tracked}
  where store_id = ${storeId} and id = ${variantId} and stock_tracked <> ${tracked}
  returning id`

/** Outlets where units of the variant are available. */
export const listStockedOutlets = (tx: Tx, storeId: StoreId, variantId: string) => tx.many<{ outletId: OutletId }>`
  select outlet_id as "outletId" from stock
  where store_id = ${storeId} and variant_id = ${variantId} and on_hand > reserved`

/**
 * Rebuilds the listing rows of these products at every outlet, and writes only those that change. Besides words, the
 * index holds each option of a variant (`7=Colour␟Indigo`), which cannot collide with words: see option-choices.ts.
 * The lateral joins look rows up by their keys whatever the statistics say: in a new database they say nothing, and the
 * planner compared all products with all variants. The words are put together after the cheapest variant was chosen: done
 * for each variant, a product with 2,000 of them took minutes.
 */
export const refreshListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{ seq: number }>`
  insert into listing (store_id, outlet_id, product_id, seq, category_id, name_key, price_minor, compare_at_minor,
    in_stock, words)
  select ${storeId}::integer, c.outlet_id, c.id, c.seq, c.category_id, c.name_key, c.price_minor, c.compare_at_minor, c.in_stock,
    array_to_tsvector(array(
      select c.outlet_id || '~' || word from unnest(c.words) word union all
      select c.outlet_id || '^' || word from unnest(c.title_words) word union all
      select c.outlet_id || '=' || left(chosen.key || chr(31) || chosen.value, 300)
      from variant optional, jsonb_each_text(optional.options) chosen
      where optional.store_id = ${storeId} and optional.product_id = c.id and optional.active))
  from (
    select distinct on (o.id, p.id) o.id as outlet_id, p.id, p.seq, p.category_id, p.name_key, p.words,
      p.title_words, coalesce(po.price_minor, v.price_minor) as price_minor, v.compare_at_minor,
      bool_or(not v.stock_tracked or coalesce(s.on_hand - s.reserved, 0) > 0) over (partition by o.id, p.id) as in_stock
    from unnest(${productIds}::text[]) wanted (id)
    cross join lateral (select * from product where store_id = ${storeId} and id = wanted.id offset 0) p
    cross join lateral (select * from variant where store_id = ${storeId} and product_id = p.id offset 0) v
    join outlet o on o.store_id = ${storeId}
    left join lateral (
      select price_minor from price_override where store_id = ${storeId} and variant_id = v.id and outlet_id = o.id
      limit 1) po on true
    left join lateral (
      select on_hand, reserved from stock where store_id = ${storeId} and variant_id = v.id and outlet_id = o.id
      limit 1) s on true
    where p.status = 'ACTIVE' and v.active
    order by o.id, p.id, coalesce(po.price_minor, v.price_minor), v.position
    offset 0) c
  on conflict (store_id, outlet_id, product_id) do update set category_id = excluded.category_id,
    name_key = excluded.name_key, price_minor = excluded.price_minor, compare_at_minor = excluded.compare_at_minor,
    in_stock = excluded.in_stock, words = excluded.words
  where (listing.category_id, listing.name_key, listing.price_minor, listing.compare_at_minor, listing.in_stock,
      listing.words)
    is distinct from (excluded.category_id, excluded.name_key, excluded.price_minor, excluded.compare_at_minor,
      excluded.in_stock, excluded.words)
  returning seq`

/** Updates only the stock flag, the only column that a stock change affects. */
export const refreshStockFlags = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{ seq: number }>`
  update listing l set in_stock = not l.in_stock
  from outlet o
  where o.store_id = ${storeId} and l.store_id = ${storeId} and l.outlet_id = o.id and l.product_id = any(${productIds})
    and l.in_stock <> (exists (select from stock s
      join variant v on v.store_id = s.store_id and v.id = s.variant_id and v.active
      where s.store_id = ${storeId} and s.outlet_id = l.outlet_id and s.product_id = l.product_id
        and s.on_hand > s.reserved)
      or exists (select from variant v
        where v.store_id = ${storeId} and v.product_id = l.product_id and not v.stock_tracked and v.active))
  returning l.seq`

/** In a fixed order, so that two writers of the same new words cannot deadlock. */
export const addSearchWords = (tx: Tx, storeId: StoreId, words: readonly string[]) => tx.run`
  insert into search_word (store_id, word)
  select ${storeId}, word from unnest(${words}::text[]) word
  where not exists (select from search_word known where known.store_id = ${storeId} and known.word = word.word)
  order by word collate "C"
  on conflict do nothing returning 1`

/**
 * Joins outlets, because the key of a listing starts with the outlet. The first condition ends the statement early in
 * the usual case of no hidden products: while a new store is being filled the planner expects no listings, and would
 * scan all of them for every batch.
 */
export const dropHiddenListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{ seq: number }>`
  delete from listing l using outlet o, product p
  where (select count(*) > 0 from product p
      where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status <> 'ACTIVE')
    and o.store_id = ${storeId} and l.store_id = o.store_id and l.outlet_id = o.id and l.product_id = any(${productIds})
    and p.store_id = l.store_id and p.id = l.product_id and p.status <> 'ACTIVE'
  returning l.seq`

/** Serialises writers of one product. Otherwise two of them would each compute the listing from outdated stock. */
export const lockProducts = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  select from product where store_id = ${storeId} and id = any(${productIds}) order by id for no key update`

export const listProductIdsAfter = async (tx: Tx, storeId: StoreId, after: string, limit: number) =>
  (
    await tx.many<{ id: string }>`
      select id from product where store_id = ${storeId} and id > ${after} order by id limit ${limit}`
  ).map(({ id }) => id)

/** The categories in which these products are counted now. All outlets list the same products, so one is enough. */
export const listCountedCategories = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{
  categoryId: string
}>`
  select l.category_id as "categoryId" from listing l
  where l.store_id = ${storeId} and l.outlet_id = (select default_outlet_id from store where id = ${storeId})
    and l.product_id = any(${productIds}) and l.category_id is not null`

export type CategoryGain = { id: string; gain: number }

/** Adds to the counts instead of recounting, which would cost more with every product. Locks in a fixed order. */
export const addToCategoryCounts = (tx: Tx, storeId: StoreId, gains: readonly CategoryGain[]) => tx.run`
  with locked as (
    select c.id from category c
    where c.store_id = ${storeId} and c.id = any(${gains.map(({ id }) => id)}) order by c.id for no key update)
  update category c set product_count = c.product_count + n.gain
  from locked join jsonb_to_recordset(${json(gains)}::jsonb) as n (id text, gain integer) on n.id = locked.id
  where c.store_id = ${storeId} and c.id = locked.id`

/**
 * Updates the planner statistics. Autovacuum takes a minute or more; until then the planner expects a handful of
 * products and reads all of them to find one.
 */
export const analyzeCatalog = (db: Queries) => db.run`
  analyze category, product, variant, price_override, stock, listing, search_word`

export type CategoryNode = { id: string; parentId: string | null; name: string; slug: string; position: number }

export const listCategoryNodes = (db: Queries, storeId: StoreId) => db.many<CategoryNode>`
  select id, parent_id as "parentId", name, slug, position from category where store_id = ${storeId}`

export type NewCategory = CategoryNode & { image: string; words: readonly string[] }

export const insertCategory = (tx: Tx, storeId: StoreId, category: NewCategory) => tx.run`
  insert into category (store_id, id, parent_id, name, slug, position, image, words)
  values (${storeId}, ${category.id}, ${category.parentId}, ${category.name}, ${category.slug}, ${category.position},
    ${category.image}, ${category.words})`
