import type { Queries, Tx } from '../../db/database.ts'
import type { OutletId, StoreId } from '../context.ts'

/** Rows travel as one JSON parameter: a thousand products cost as many round trips as one. */
export const json = (rows: readonly object[]) => JSON.stringify(rows)

/**
 * One writer of a store's catalog at a time: two imports at once would both make the category or the product that
 * neither has seen. Shoppers do not meet this lock, and stock changes do not either.
 */
export const lockCatalog = (tx: Tx, storeId: StoreId) => tx.run`
  select pg_advisory_xact_lock(${catalogLock}::integer, ${storeId}::integer)`

const catalogLock = 7150423

export type StockLevel = { variant_id: string; product_id: string; outlet_id: OutletId; available: number }

/**
 * What can be sold becomes `available`; what shoppers have reserved stays reserved on top of it. Rows are locked by
 * variant and outlet, after the products, and those that say so already are left alone.
 */
export const setStockLevels = (tx: Tx, storeId: StoreId, levels: readonly StockLevel[]) => tx.run`
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
  select ${storeId}, n.variant_id, n.outlet_id, n.product_id, n.available
  from jsonb_to_recordset(${json(levels)}::jsonb)
    as n (variant_id text, outlet_id integer, product_id text, available integer)
  left join stock s on s.store_id = ${storeId} and s.variant_id = n.variant_id and s.outlet_id = n.outlet_id
  where s.on_hand - s.reserved is distinct from n.available
  order by n.variant_id collate "C", n.outlet_id
  on conflict (store_id, variant_id, outlet_id) do update set on_hand = excluded.on_hand + stock.reserved`

/** A variant whose units are counted, or no longer. No row when it is so already. */
export const setTracked = (tx: Tx, storeId: StoreId, variantId: string, tracked: boolean) => tx.maybeOne<{
  id: string
}>`
  update variant set stock_tracked = ${tracked}
  where store_id = ${storeId} and id = ${variantId} and stock_tracked <> ${tracked}
  returning id`

/** Outlets where something of a variant is on hand that is not reserved. */
export const listStockedOutlets = (tx: Tx, storeId: StoreId, variantId: string) => tx.many<{ outletId: OutletId }>`
  select outlet_id as "outletId" from stock
  where store_id = ${storeId} and variant_id = ${variantId} and on_hand > reserved`

/**
 * Makes the listing rows of these products anew at every outlet, touching only those that really change. Beside words,
 * the index holds each option of a variant (`7=Colour␟Indigo`), which no search for words can meet: see option-choices.ts.
 */
export const refreshListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  insert into listing (store_id, outlet_id, product_id, seq, category_id, name_key, price_minor, compare_at_minor,
    in_stock, words)
  select distinct on (o.id, p.id) p.store_id, o.id, p.id, p.seq, p.category_id, p.name_key,
    coalesce(po.price_minor, v.price_minor), v.compare_at_minor,
    bool_or(not v.stock_tracked or coalesce(s.on_hand - s.reserved, 0) > 0) over (partition by o.id, p.id),
    array_to_tsvector(array(
      select o.id || '~' || word from unnest(p.words) word union all
      select o.id || '^' || word from unnest(p.title_words) word union all
      select o.id || '=' || left(chosen.key || chr(31) || chosen.value, 300)
      from variant optional, jsonb_each_text(optional.options) chosen
      where optional.store_id = p.store_id and optional.product_id = p.id and optional.active))
  from product p
  join variant v on v.store_id = p.store_id and v.product_id = p.id and v.active
  join outlet o on o.store_id = p.store_id
  left join price_override po on po.store_id = p.store_id and po.variant_id = v.id and po.outlet_id = o.id
  left join stock s on s.store_id = p.store_id and s.variant_id = v.id and s.outlet_id = o.id
  where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status = 'ACTIVE'
  order by o.id, p.id, coalesce(po.price_minor, v.price_minor), v.position
  on conflict (store_id, outlet_id, product_id) do update set category_id = excluded.category_id,
    name_key = excluded.name_key, price_minor = excluded.price_minor, compare_at_minor = excluded.compare_at_minor,
    in_stock = excluded.in_stock, words = excluded.words
  where (listing.category_id, listing.name_key, listing.price_minor, listing.compare_at_minor, listing.in_stock,
      listing.words)
    is distinct from (excluded.category_id, excluded.name_key, excluded.price_minor, excluded.compare_at_minor,
      excluded.in_stock, excluded.words)`

/** Only the flag that a change of stock can turn. */
export const refreshStockFlags = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  update listing l set in_stock = not l.in_stock
  from outlet o
  where o.store_id = ${storeId} and l.store_id = o.store_id and l.outlet_id = o.id and l.product_id = any(${productIds})
    and l.in_stock <> (exists (select from stock s
      join variant v on v.store_id = s.store_id and v.id = s.variant_id and v.active
      where s.store_id = l.store_id and s.outlet_id = l.outlet_id and s.product_id = l.product_id
        and s.on_hand > s.reserved)
      or exists (select from variant v
        where v.store_id = l.store_id and v.product_id = l.product_id and not v.stock_tracked and v.active))`

/** In one order, so that two writers of the same new words wait for each other and do not deadlock. */
export const addSearchWords = (tx: Tx, storeId: StoreId, words: readonly string[]) => tx.run`
  insert into search_word (store_id, word)
  select ${storeId}, word from unnest(${words}::text[]) word
  where not exists (select from search_word known where known.store_id = ${storeId} and known.word = word.word)
  order by word collate "C"
  on conflict do nothing`

/**
 * Goes by outlet, because the key of a listing begins with it. Mostly nothing is hidden, which is asked first: in a store
 * that is just being filled the planner expects no listings, and would go through all there are for every batch.
 */
export const dropHiddenListings = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  delete from listing l using outlet o, product p
  where (select count(*) > 0 from product p
      where p.store_id = ${storeId} and p.id = any(${productIds}) and p.status <> 'ACTIVE')
    and o.store_id = ${storeId} and l.store_id = o.store_id and l.outlet_id = o.id and l.product_id = any(${productIds})
    and p.store_id = l.store_id and p.id = l.product_id and p.status <> 'ACTIVE'`

/** Two writers on one product would each see the other's stock as it was before; the second one waits here instead. */
export const lockProducts = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.run`
  select from product where store_id = ${storeId} and id = any(${productIds}) order by id for no key update`

export const listProductIdsAfter = async (tx: Tx, storeId: StoreId, after: string, limit: number) =>
  (
    await tx.many<{ id: string }>`
      select id from product where store_id = ${storeId} and id > ${after} order by id limit ${limit}`
  ).map(({ id }) => id)

/** Every outlet lists the same products, so one of them tells which categories these are counted in now. */
export const listCountedCategories = (tx: Tx, storeId: StoreId, productIds: readonly string[]) => tx.many<{
  categoryId: string
}>`
  select l.category_id as "categoryId" from listing l
  where l.store_id = ${storeId} and l.outlet_id = (select default_outlet_id from store where id = ${storeId})
    and l.product_id = any(${productIds}) and l.category_id is not null`

export type CategoryGain = { id: string; gain: number }

/** Adds to the counts, so that the cost does not grow with the catalog; in one order, so that writers only wait. */
export const addToCategoryCounts = (tx: Tx, storeId: StoreId, gains: readonly CategoryGain[]) => tx.run`
  with locked as materialized (
    select c.id from category c
    where c.store_id = ${storeId} and c.id = any(${gains.map(({ id }) => id)}) order by c.id for no key update)
  update category c set product_count = c.product_count + n.gain
  from locked join jsonb_to_recordset(${json(gains)}::jsonb) as n (id text, gain integer) on n.id = locked.id
  where c.store_id = ${storeId} and c.id = locked.id`

/**
 * Tells the planner how large the tables have become. Until the database does so by itself, which takes it a minute or
 * more, it believes that a store has a handful of products and reads all of them wherever it looks for one.
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
