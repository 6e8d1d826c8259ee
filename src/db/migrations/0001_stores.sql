-- Stores and who may speak for them.

-- The database's clock, which tests move through a setting of their own connections.
create function vitrine_now() returns timestamptz language sql stable as $$
  select now() + coalesce(nullif(current_setting('vitrine.clock_offset', true), ''), '0')::interval
$$;

-- A store and an outlet have a short number inside, because every row and index entry of a tenant begins with it.
create table store (
  id integer generated always as identity primary key,
  public_id text collate "C" not null unique,
  name text not null,
  domain text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  locale text not null,
  timezone text not null,
  logo text not null default '',
  contact jsonb not null default '{"email": "", "phone": ""}',
  address jsonb,
  tax_included boolean not null default true,
  shipping_flat_minor bigint not null default 0 check (shipping_flat_minor >= 0),
  shipping_free_above_minor bigint check (shipping_free_above_minor >= 0),
  payment_provider text not null,
  cash_on_delivery boolean not null default false,
  menu jsonb not null default '[]',
  default_outlet_id integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table outlet (
  store_id integer not null references store,
  id integer generated always as identity,
  public_id text collate "C" not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (store_id, id),
  unique (store_id, public_id)
);

alter table store
  add foreign key (id, default_outlet_id) references outlet (store_id, id) deferrable initially deferred;

-- The key itself is never stored. A request carries nothing but the key, so its hash is looked up across all stores.
create table store_key (
  store_id integer not null references store,
  id text collate "C" not null,
  hash text collate "C" not null unique,
  name text not null default '',
  kind text not null check (kind in ('server', 'browser')),
  scopes text[] not null,
  rate_limit integer check (rate_limit > 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (store_id, id)
);

-- An operator names a key by its id alone.
create unique index store_key_by_id on store_key (id);

create table store_origin (
  store_id integer not null references store,
  origin text collate "C" not null,
  primary key (store_id, origin)
);
-- A preflight names no store: its origin is looked up across all of them.
create index store_origin_by_origin on store_origin (origin);

-- What providers prove themselves with when they call a webhook. The logistics key alone names the store.
create table webhook_credential (
  store_id integer not null references store,
  kind text not null check (kind in ('payment', 'logistics')),
  username text not null default '',
  secret_hash text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (store_id, kind),
  unique (kind, secret_hash)
);
