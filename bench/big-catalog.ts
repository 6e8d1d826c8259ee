import pg from 'pg'

/** The number of products in the named store, and the number of small stores with fifty products each. */
export type BigCatalog = { products: number; smallStores: number; wordsInDescription?: number }

const wordsInUse = 30_000
const categoriesOfStore = 200
const productsOfSmallStore = 50
const batch = 50_000

/**
 * Fills stores with statements inside the database, because only reads are measured. Words are spread as in real shops:
 * a few are in most products, most are in a few. Columns are filled as saving products would fill them.
 */
export const fillCatalog = async (
  connection: pg.ClientConfig,
  storeId: string,
  { products, smallStores, wordsInDescription = 25 }: BigCatalog,
  say: (text: string) => void,
) => {
  const client = new pg.Client(connection)
  await client.connect()
  const fill = async (stores: string, from: number, to: number) => {
    for (const text of [
      productsOf(stores, wordsInDescription),
      variantsOf(stores),
      stockOf(stores),
      // Beside another full store, the planner would expect few rows here.
      'analyze product, variant, stock',
      listingsOf(stores),
    ]) {
      await client.query(text, text.includes('$1') ? [from, to] : [])
    }
  }
  try {
    await client.query(helpers)
    // The same words, prices and stock each time.
    await client.query('select setseed(0.5)')
    const { rows } = await client.query('select id from store where public_id = $1', [storeId])
    const big = `(${rows[0].id})`
    await client.query(categoriesIn(big, categoriesOfStore))
    // Building the index of words once is many times faster than adding to it.
    const index = await client.query(`select pg_get_indexdef('listing_words'::regclass) as definition`)
    await client.query('drop index listing_words')
    for (let from = 1; from <= products; from += batch) {
      const to = Math.min(from + batch - 1, products)
      await fill(big, from, to)
      say(`${to.toLocaleString('en')} products`)
    }
    if (smallStores > 0) {
      await client.query(addSmallStores, [smallStores])
      await client.query(addSmallOutlets)
      await client.query(setSmallOutlets)
      const small = `(select id from store where public_id like 'store_small%')`
      await client.query(categoriesIn(small, productsOfSmallStore + 1))
      await client.query('analyze')
      await fill(small, 1, productsOfSmallStore)
      say(`${smallStores.toLocaleString('en')} small stores`)
    }
    say('index of words')
    await client.query(`set maintenance_work_mem = '512MB'`)
    await client.query(index.rows[0].definition)
    await client.query(countCategories)
    await client.query(knownWords)
    await client.query(outletPrices)
    await client.query(wordsToCount)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const helpers = `
  create or replace function pg_temp.some_words(count integer) returns text[] language sql volatile as $$
    select array_agg(distinct 'w' || translate(floor(${wordsInUse} * power(random(), 3))::integer::text,
      '0123456789', 'aeioulnrst')) from generate_series(1, count) $$`

const categoriesIn = (stores: string, count: number) => `
  insert into category (store_id, id, name, slug, position)
  select s.id, 'cat_' || s.id || '_' || n, 'Category ' || n, 'category-' || n, n
  from store s, generate_series(1, ${count}) n where s.id in ${stores}`

/** Half of the products are black; each of 500 other colours is that of one in a thousand. */
const colourOf = (n: string) => `case when ${n} % 2 = 0 then 'Black' else 'Colour ' || ${n} % 1000 end`

const productsOf = (stores: string, wordsInDescription: number) => `
  insert into product (store_id, id, slug, name, description, status, category_id, images, options, has_variants,
    name_key, title_words, words)
  select store_id, 'prod_' || store_id || '_' || lpad(n::text, 8, '0'), 'product-' || n, array_to_string(title, ' '),
    array_to_string(body, ' '), 'ACTIVE', 'cat_' || store_id || '_' || (1 + n % ${categoriesOfStore}),
    array['/demo/images/logo.svg'], jsonb_build_array(jsonb_build_object('name', 'Colour', 'values',
      jsonb_build_array(${colourOf('n')}))), true, array_to_string(title, ' '), title, title || body
  from (select s.id as store_id, n, pg_temp.some_words(4 + n * 0) as title, pg_temp.some_words(${wordsInDescription} + n * 0) as body
    from store s, generate_series($1::integer, $2::integer) n where s.id in ${stores}) made`

const chosen = (stores: string) => `
  p.store_id in ${stores} and p.slug in (select 'product-' || n from generate_series($1::integer, $2::integer) n)`

const variantsOf = (stores: string) => `
  insert into variant (store_id, id, product_id, options, option_key, price_minor)
  select p.store_id, 'var' || substr(p.id, 5), p.id, jsonb_build_object('Colour', colour),
    '[["Colour","' || colour || '"]]', 100 * (50 + floor(random() * 9950))::bigint
  from product p, lateral (select ${colourOf('right(p.id, 8)::integer')} as colour) painted where ${chosen(stores)}`

const stockOf = (stores: string) => `
  insert into stock (store_id, variant_id, outlet_id, product_id, on_hand)
  select p.store_id, 'var' || substr(p.id, 5), s.default_outlet_id, p.id, floor(random() * 10)::integer
  from product p join store s on s.id = p.store_id where ${chosen(stores)}`

const listingsOf = (stores: string) => `
  insert into listing (store_id, outlet_id, product_id, seq, category_id, name_key, price_minor, in_stock, words)
  select p.store_id, s.default_outlet_id, p.id, p.seq, p.category_id, p.name_key, v.price_minor, k.on_hand > 0,
    array_to_tsvector(array(select s.default_outlet_id || '~' || word from unnest(p.words) word union all
      select s.default_outlet_id || '^' || word from unnest(p.title_words) word union all
      select s.default_outlet_id || '=' || chosen.key || chr(31) || chosen.value
      from jsonb_each_text(v.options) chosen))
  from product p
  join store s on s.id = p.store_id
  join variant v on v.store_id = p.store_id and v.product_id = p.id
  join stock k on k.store_id = v.store_id and k.variant_id = v.id
  where ${chosen(stores)}`

const addSmallStores = `
  insert into store (public_id, name, domain, currency, locale, timezone, payment_provider)
  select 'store_small' || n, 'Small store ' || n, 'https://small' || n || '.example', 'EUR', 'en', 'UTC', 'sandbox'
  from generate_series(1, $1::integer) n`
const addSmallOutlets = `
  insert into outlet (store_id, public_id, name)
  select id, replace(public_id, 'store', 'outlet'), 'Main' from store where public_id like 'store_small%'`
const setSmallOutlets = `
  update store s set default_outlet_id = o.id from outlet o
  where o.store_id = s.id and s.public_id like 'store_small%'`

const knownWords = `
  insert into search_word (store_id, word)
  select distinct store_id, word from product, unnest(words) word where length(word) >= 4 on conflict do nothing`

/** The service counts them, as it does after an import. */
const wordsToCount = `
  insert into search_count (store_id, due_at)
  select store_id, now() from category group by store_id having sum(product_count) >= 1000
  on conflict (store_id) do update set due_at = excluded.due_at`

const outletPrices = `
  insert into price_override (store_id, variant_id, outlet_id, price_minor)
  select v.store_id, v.id, s.default_outlet_id, v.price_minor from variant v join store s on s.id = v.store_id
  where random() < 0.1 on conflict do nothing`

const countCategories = `
  update category c set product_count = counted.count
  from (select store_id, category_id, count(*) as count from product group by store_id, category_id) counted
  where counted.store_id = c.store_id and counted.category_id = c.id`
