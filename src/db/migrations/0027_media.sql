-- Pictures that merchants upload. Products, variants, categories and order lines name a picture by its path, as they name
-- images elsewhere by their URL.

create table media (
  store_id integer not null references store,
  id text collate "C" not null,
  -- Of the uploaded bytes: the same upload again finds this row.
  hash text collate "C" not null,
  path text collate "C" not null,
  -- The row is there before its files, and goes after them: no file is ever without a row.
  state text not null check (state in ('writing', 'ready', 'removing')),
  name text not null,
  alt text not null default '',
  width integer not null,
  height integer not null,
  animated boolean not null,
  -- Of all its files.
  bytes bigint not null check (bytes > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Hidden by the merchant. The files stay while an order shows them.
  deleted_at timestamptz,
  -- When a job decides whether the files are still needed. Null: they are.
  check_at timestamptz,
  primary key (store_id, id),
  unique (store_id, hash)
);
create index media_due on media (check_at) where check_at is not null;
create index media_due_of_store on media (store_id, check_at) where check_at is not null;

-- What a store has stored, so that its limit is checked without adding up.
create table media_total (
  store_id integer primary key references store,
  bytes bigint not null check (bytes >= 0)
);

-- The path in the URL or path of an uploaded picture. Null for images elsewhere.
create function media_path(image text) returns text language sql immutable strict parallel safe
return case when strpos(image, '/media/') > 0
  then substring(image from '/media/store_\w+/[0-9a-f]{32}-\d+x\d+\.\w+$') end;

create function media_paths(images text[]) returns text[] language sql immutable strict parallel safe
return array(select media_path(image) from unnest(images) image where media_path(image) is not null);

-- A path begins with the store, so the entries of one store are together. Products without uploads have no entry.
create index product_media on product using gin (media_paths(images)) with (fastupdate = off);
create index variant_media on variant (store_id, media_path(image)) where media_path(image) is not null;
create index order_line_media on order_line (store_id, media_path(image)) where media_path(image) is not null;
