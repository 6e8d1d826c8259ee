-- The product list of merchants shows products of every status.

-- The words of products that are not ACTIVE, with the number of the store before each: `7~tea`. Words of ACTIVE products
-- are in `listing`. Null for those.
alter table product add column hidden_words tsvector;
update product p set hidden_words = array_to_tsvector(array(select p.store_id || '~' || word from unnest(p.words) word))
where p.status <> 'ACTIVE';
create index product_hidden_words on product using gin (hidden_words) with (fastupdate = off)
  where hidden_words is not null;

-- One index for each order, with and without category. An id begins with the time of creation.
create index product_status on product (store_id, status, id);
create index product_status_name on product (store_id, status, name_key, id);
create index product_category on product (store_id, category_id, status, id);
create index product_category_name on product (store_id, category_id, status, name_key, id);

-- Products of a category get the words of its new name from a job: there may be a million of them. The job is due at
-- `reindex_at` (null: nothing to do), and has done the products up to the status and id in `reindex_after`.
alter table category
  add column reindex_at timestamptz,
  add column reindex_after text[] not null default '{}';
create index category_to_reindex on category (store_id, reindex_at) where reindex_at is not null;

-- Work that a merchant has asked for and that takes longer than a request. Each step of it is a transaction that also
-- notes the progress here, so that a step is never done twice.
create table merchant_job (
  store_id integer not null references store,
  id text collate "C" not null,
  type text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  done integer not null default 0,
  total integer not null,
  faults jsonb not null default '[]',
  author jsonb not null,
  input jsonb not null,
  result jsonb,
  attempts integer not null default 0,
  created_at timestamptz not null default vitrine_now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- An instance works on it until then. Afterwards another one goes on.
  claimed_until timestamptz not null default vitrine_now(),
  primary key (store_id, id)
);
create index merchant_job_due on merchant_job (store_id, claimed_until) where status in ('queued', 'running');
create index merchant_job_finished on merchant_job (finished_at) where finished_at is not null;
