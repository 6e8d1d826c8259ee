-- Who shops, and what they have gathered: customers, guests, carts, wishlists, coupons.

alter table store
  -- How many codes the store sends in an hour, for all phones together; null: as many as are asked for.
  add column otp_hourly_cap integer check (otp_hourly_cap > 0),
  -- The countries (ISO 3166, two letters) to whose numbers it sends codes; empty: all.
  add column otp_countries text[] not null default '{}';

create table customer (
  store_id integer not null references store,
  id text collate "C" not null,
  name text not null default '',
  -- In lower case. It signs somebody in only beside a password; without one it is contact data.
  email text collate "C",
  password_hash text,
  -- E.164, proved by a code. Somebody's identity.
  phone text collate "C",
  -- As the customer wrote it. Signs nobody in.
  contact_phone text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id)
);
create unique index customer_by_phone on customer (store_id, phone) where phone is not null;
create unique index customer_by_email on customer (store_id, email) where password_hash is not null;

create table session (
  store_id integer not null,
  token_hash text collate "C" not null,
  customer_id text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (store_id, token_hash),
  foreign key (store_id, customer_id) references customer (store_id, id)
);
create index session_by_customer on session (store_id, customer_id);
create index session_by_expiry on session (expires_at);

-- One row for each phone that asked for a code: the code that counts now and the requests of the last hour.
create table one_time_code (
  store_id integer not null references store,
  phone text collate "C" not null,
  -- Null once it was used, or when its message was refused.
  code_hash text collate "C",
  attempts_left smallint not null check (attempts_left >= 0),
  expires_at timestamptz not null,
  requested_at timestamptz[] not null,
  forget_at timestamptz not null,
  primary key (store_id, phone)
);
create index one_time_code_by_age on one_time_code (forget_at);

-- The codes that a store with a cap has sent, by the hour.
create table otp_hour (
  store_id integer not null references store,
  hour timestamptz not null,
  sent integer not null,
  primary key (store_id, hour)
);
create index otp_hour_by_age on otp_hour (hour);

-- Failed sign-ins by email, whether an account has it or not.
create table sign_in_failure (
  store_id integer not null references store,
  email text collate "C" not null,
  failed_at timestamptz[] not null,
  forget_at timestamptz not null,
  primary key (store_id, email)
);
create index sign_in_failure_by_age on sign_in_failure (forget_at);

create table address (
  store_id integer not null,
  customer_id text collate "C" not null,
  id text collate "C" not null,
  label text not null,
  name text not null,
  phone text not null,
  line1 text not null,
  line2 text not null,
  landmark text not null,
  city text not null,
  state text not null,
  postal_code text not null,
  country text not null,
  is_default boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, customer_id, id),
  foreign key (store_id, customer_id) references customer (store_id, id)
);
create unique index address_default on address (store_id, customer_id) where is_default;

-- A guest gets a row with the first write. Every write of a guest locks it, and so does the merge that ends it: a write
-- comes before the merge and is merged, or after it and is refused.
create table guest (
  store_id integer not null references store,
  id text collate "C" not null,
  merged_at timestamptz,
  -- A day and not an instant: it stands in an index, which only the first write of a day has to touch.
  seen_on date not null,
  primary key (store_id, id)
);
create index guest_by_age on guest (seen_on);

create table cart (
  store_id integer not null,
  id text collate "C" not null,
  guest_id text collate "C",
  customer_id text collate "C",
  outlet_id integer not null,
  coupon_code text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A guest's cart lives thirty days from its last write; from this day on it can be swept away. A day, for the same
  -- reason as above. Null: a customer's.
  sweep_on date,
  primary key (store_id, id),
  foreign key (store_id, outlet_id) references outlet (store_id, id),
  foreign key (store_id, guest_id) references guest (store_id, id),
  foreign key (store_id, customer_id) references customer (store_id, id),
  check (num_nonnulls(guest_id, customer_id) = 1),
  check ((sweep_on is null) = (guest_id is null))
) with (fillfactor = 80);
create unique index cart_of_guest on cart (store_id, guest_id) where guest_id is not null;
create unique index cart_of_customer on cart (store_id, customer_id) where customer_id is not null;
create index cart_by_age on cart (sweep_on) where sweep_on is not null;

create table cart_item (
  store_id integer not null,
  cart_id text collate "C" not null,
  variant_id text collate "C" not null,
  id text collate "C" not null,
  -- That of the variant, which is held to its product.
  product_id text collate "C" not null,
  quantity integer not null check (quantity > 0),
  -- What the shopper saw when the line was last written.
  price_minor bigint not null,
  added_at timestamptz not null,
  primary key (store_id, cart_id, variant_id),
  foreign key (store_id, cart_id) references cart (store_id, id) on delete cascade,
  foreign key (store_id, variant_id) references variant (store_id, id)
) with (fillfactor = 80);

-- Of a guest or of a customer; the two have their own keys, so that a list is read by one index.
create table wishlist_item (
  store_id integer not null,
  id text collate "C" not null,
  guest_id text collate "C",
  customer_id text collate "C",
  product_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, guest_id) references guest (store_id, id),
  foreign key (store_id, customer_id) references customer (store_id, id),
  foreign key (store_id, product_id) references product (store_id, id),
  check (num_nonnulls(guest_id, customer_id) = 1)
);
create unique index wishlist_of_guest on wishlist_item (store_id, guest_id, product_id) where guest_id is not null;
create unique index wishlist_of_customer on wishlist_item (store_id, customer_id, product_id)
  where customer_id is not null;

create table coupon (
  store_id integer not null references store,
  id text collate "C" not null,
  -- In upper case: shoppers type it as they like.
  code text collate "C" not null,
  kind text not null check (kind in ('percent', 'fixed')),
  -- Thousandths of a percent, or minor units.
  value bigint not null check (value > 0 and (kind = 'fixed' or value <= 100000)),
  description text not null default '',
  min_subtotal_minor bigint not null default 0 check (min_subtotal_minor >= 0),
  starts_at timestamptz,
  ends_at timestamptz,
  usage_limit integer check (usage_limit > 0),
  customer_limit integer check (customer_limit > 0),
  used integer not null default 0 check (used >= 0 and (usage_limit is null or used <= usage_limit)),
  -- What it applies to; both empty: everything. A category stands for all below it too.
  category_ids text[] not null default '{}',
  product_ids text[] not null default '{}',
  created_at timestamptz not null default now(),
  primary key (store_id, id),
  unique (store_id, code)
);

-- Answers to calls that must take effect once, written in the transaction of that effect. What a crash undoes can be
-- tried again at once, because the claim is undone with it.
create table kept_answer (
  store_id integer not null references store,
  shopper text collate "C" not null,
  route text collate "C" not null,
  key text collate "C" not null,
  body_hash text collate "C" not null,
  answer jsonb,
  created_at timestamptz not null,
  primary key (store_id, shopper, route, key)
);
create index kept_answer_by_age on kept_answer (created_at);
