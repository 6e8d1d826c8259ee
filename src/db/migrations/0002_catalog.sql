-- Products, their variants, stock and prices by outlet, and the rows that lists are read from.

create extension if not exists fuzzystrmatch;

create table category (
  store_id integer not null references store,
  id text collate "C" not null,
  parent_id text collate "C",
  name text not null,
  slug text collate "C" not null,
  image text not null default '',
  position integer not null default 0,
  -- ACTIVE products directly in it, kept by whoever changes products: counting a million rows is too slow for a read.
  product_count integer not null default 0,
  -- The words of its name, for suggestions.
  words text[] not null default '{}',
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, parent_id) references category (store_id, id)
);
create index category_by_parent on category (store_id, parent_id);
create index category_in_order on category (store_id, position, id);

create table product (
  store_id integer not null references store,
  id text collate "C" not null,
  -- The order of creation: `newest` sorts by it, and it breaks every tie.
  seq bigint generated always as identity,
  slug text collate "C" not null,
  name text not null,
  description text not null default '',
  status text not null check (status in ('ACTIVE', 'DRAFT', 'ARCHIVED')),
  category_id text collate "C",
  images text[] not null default '{}',
  options jsonb not null default '[]',
  has_variants boolean not null default false,
  tags text[] not null default '{}',
  seo jsonb not null default '{"title": "", "description": ""}',
  digital jsonb,
  tax_rate numeric(6, 3) not null default 0 check (tax_rate >= 0 and tax_rate <= 100),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- What search-words.ts made of its texts: the folded name, the words of the name, and all words.
  name_key text collate "C" not null,
  title_words text[] not null,
  words text[] not null,
  primary key (store_id, id),
  unique (store_id, slug),
  foreign key (store_id, category_id) references category (store_id, id)
);
create index product_by_category on product (store_id, category_id, status);

create table variant (
  store_id integer not null references store,
  id text collate "C" not null,
  product_id text collate "C" not null,
  position integer not null default 0,
  sku text not null default '',
  title text not null default '',
  options jsonb not null default '{}',
  -- The chosen options as one text: what tells the variants of a product apart, also when an import comes again.
  option_key text collate "C" not null default '',
  price_minor bigint not null check (price_minor >= 0),
  compare_at_minor bigint check (compare_at_minor >= 0),
  -- A variant that an import no longer names is switched off, never deleted: orders and carts point at it.
  active boolean not null default true,
  primary key (store_id, id),
  unique (store_id, product_id, option_key),
  foreign key (store_id, product_id) references product (store_id, id)
);
create index variant_by_sku on variant (store_id, sku) where sku <> '';

create table price_override (
  store_id integer not null,
  outlet_id integer not null,
  variant_id text collate "C" not null,
  price_minor bigint not null check (price_minor >= 0),
  primary key (store_id, variant_id, outlet_id),
  foreign key (store_id, outlet_id) references outlet (store_id, id),
  foreign key (store_id, variant_id) references variant (store_id, id)
);

-- `on_hand` and `reserved` stand in no index, so that a change of them touches no index either.
create table stock (
  store_id integer not null,
  variant_id text collate "C" not null,
  outlet_id integer not null,
  product_id text collate "C" not null,
  on_hand integer not null check (on_hand >= 0),
  reserved integer not null default 0 check (reserved >= 0 and reserved <= on_hand),
  primary key (store_id, variant_id, outlet_id),
  foreign key (store_id, outlet_id) references outlet (store_id, id),
  foreign key (store_id, variant_id) references variant (store_id, id)
) with (fillfactor = 80);
create index stock_by_product on stock (store_id, outlet_id, product_id);

-- One row for each ACTIVE product at each outlet, with what lists sort and filter by. Derived: `refreshListings` makes
-- it from the tables above, in the transaction that changes them.
create table listing (
  store_id integer not null,
  outlet_id integer not null,
  product_id text collate "C" not null,
  seq bigint not null,
  category_id text collate "C",
  name_key text collate "C" not null,
  price_minor bigint not null,
  compare_at_minor bigint,
  in_stock boolean not null,
  -- Every word with the number of the outlet before it, so that a search reads nothing of another store:
  -- `7~tea` for any word of the product, `7^tea` for one of its name.
  words tsvector not null,
  primary key (store_id, outlet_id, product_id),
  foreign key (store_id, outlet_id) references outlet (store_id, id),
  foreign key (store_id, product_id) references product (store_id, id)
);
create index listing_newest on listing (store_id, outlet_id, seq);
create index listing_price on listing (store_id, outlet_id, price_minor, seq);
create index listing_name on listing (store_id, outlet_id, name_key, seq);
create index listing_category_newest on listing (store_id, outlet_id, category_id, seq);
create index listing_category_price on listing (store_id, outlet_id, category_id, price_minor, seq);
create index listing_category_name on listing (store_id, outlet_id, category_id, name_key, seq);
-- What is out of stock is rare, and `inStock=false` would look at everything else to find it.
create index listing_out_of_stock on listing (store_id, outlet_id, seq) where not in_stock;
-- Without the list of changes yet to be sorted in, which every search would have to read through: up to 4 MB of it, for
-- as long as nobody vacuums. Sorting them in at once takes a writer no longer than doing it later.
create index listing_words on listing using gin (words) with (fastupdate = off);

-- The words that a store uses, to correct those that it does not. A word may outlive its last product: it then corrects
-- to something that finds nothing, as the misspelt word did.
create table search_word (
  store_id integer not null references store,
  word text collate "C" not null,
  primary key (store_id, word)
);
