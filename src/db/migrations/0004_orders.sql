-- What is bought: orders, their payments and deliveries, and what both were told by others.

-- The numbers of a store's orders. A sequence, because a counter in a row would stay locked until its order is on the
-- disk, and a store could place no more orders in a second than the disk can flush.
create function make_order_numbers() returns trigger language plpgsql as $$
begin
  execute format('create sequence order_number_%s start 1001', new.id);
  return null;
end $$;
create trigger store_order_numbers after insert on store for each row execute function make_order_numbers();
do $$
declare store_id integer;
begin
  for store_id in select id from store loop
    execute format('create sequence order_number_%s start 1001', store_id);
  end loop;
end $$;

create table orders (
  store_id integer not null,
  id text collate "C" not null,
  number integer not null,
  customer_id text collate "C" not null,
  outlet_id integer not null,
  -- The cart it came from, and what was asked of it: the same again finds this order instead of making another.
  cart_id text collate "C" not null,
  cart_version integer not null,
  request_hash text collate "C" not null,
  status text not null check (status in ('pending', 'paid', 'out_for_delivery', 'delivered', 'cancelled', 'refunded')),
  payment_status text not null check (payment_status in ('pending', 'paid', 'failed', 'refunded')),
  payment_method text not null check (payment_method in ('online', 'cod')),
  -- Where its units are: held for it, gone with it, or given back.
  stock_state text not null check (stock_state in ('reserved', 'sold', 'released')),
  currency text not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  shipping_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null check (total_minor >= 0),
  tax_included boolean not null,
  coupon_id text collate "C",
  coupon_code text,
  -- The instrument that it was paid with, filled by the settlement.
  payment jsonb,
  needs_attention text,
  storefront_url text,
  shipping_address jsonb,
  billing_address jsonb,
  note text not null default '',
  delivery_status text,
  delivery_partner text,
  estimated_delivery timestamptz,
  delivered_at timestamptz,
  tracking_url text,
  -- The order that took its place: when both are paid all the same, one of them is paid back.
  replaced_by text collate "C",
  -- When an unpaid order gives its units back. Null: never, because it is paid, placed or over.
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, number),
  foreign key (store_id, customer_id) references customer (store_id, id),
  foreign key (store_id, outlet_id) references outlet (store_id, id)
) with (fillfactor = 85);
-- Operators and providers name an order by its id alone.
create unique index orders_by_id on orders (id);
create index orders_of_customer on orders (store_id, customer_id, number desc);
create index orders_of_cart on orders (store_id, cart_id) where status = 'pending';
create index orders_replaced on orders (store_id, replaced_by) where replaced_by is not null;
create index orders_due on orders (expires_at) where expires_at is not null;

create table order_line (
  store_id integer not null,
  order_id text collate "C" not null,
  position integer not null,
  id text collate "C" not null,
  product_id text collate "C" not null,
  variant_id text collate "C" not null,
  name text not null,
  variant text not null,
  image text not null,
  sku text not null,
  quantity integer not null check (quantity > 0),
  unit_minor bigint not null,
  line_total_minor bigint not null,
  discount_minor bigint not null,
  tax_minor bigint not null,
  tax_rate numeric(6, 3) not null,
  -- What a download leads to, as it was when it was bought.
  digital jsonb,
  primary key (store_id, order_id, position),
  foreign key (store_id, order_id) references orders (store_id, id)
);

-- What happened to an order, for people.
create table order_event (
  store_id integer not null,
  order_id text collate "C" not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  type text not null,
  message text not null,
  primary key (store_id, order_id, seq),
  foreign key (store_id, order_id) references orders (store_id, id)
);

-- How often a customer has used a coupon. Orders that end unpaid give their use back.
create table coupon_use (
  store_id integer not null,
  coupon_id text collate "C" not null,
  customer_id text collate "C" not null,
  uses integer not null check (uses >= 0),
  primary key (store_id, coupon_id, customer_id),
  foreign key (store_id, coupon_id) references coupon (store_id, id),
  foreign key (store_id, customer_id) references customer (store_id, id)
);

-- An attempt to pay an order. At most one of an order is open.
create table payment (
  store_id integer not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  provider text not null,
  -- starting: the provider is yet to be called. open: the shopper can pay. closed: nobody can any more.
  status text not null check (status in ('starting', 'open', 'paid', 'failed', 'closed', 'refunded')),
  amount_minor bigint not null,
  currency text not null,
  -- What the provider calls it.
  reference text collate "C",
  redirect_url text,
  expires_at timestamptz,
  -- When the provider was last asked, so that it is asked seldom.
  asked_at timestamptz,
  -- When money is due back to the shopper.
  refund_due_at timestamptz,
  refund_attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id)
) with (fillfactor = 85);
create unique index payment_open on payment (store_id, order_id) where status in ('starting', 'open');
create index payment_of_order on payment (store_id, order_id);
-- Cash is asked of nobody.
create index payment_to_ask on payment (coalesce(asked_at, created_at))
  where status in ('starting', 'open') and provider <> 'cod';
create index payment_to_refund on payment (refund_due_at) where refund_due_at is not null;

-- The payment inbox: everything that a provider told us, as it came, and what became of it.
create table payment_event (
  store_id integer not null references store,
  id bigint generated always as identity,
  provider text not null,
  event_id text collate "C" not null,
  order_id text collate "C",
  body jsonb not null,
  received_at timestamptz not null,
  outcome text not null,
  detail text not null default '',
  primary key (store_id, id),
  unique (store_id, provider, event_id)
);
create unique index payment_event_by_id on payment_event (id);

-- What the sandbox would know at a real provider: how its page was answered.
create table sandbox_payment (
  store_id integer not null,
  payment_id text collate "C" not null,
  state text not null check (state in ('open', 'success', 'failed', 'later', 'closed', 'refunded')),
  updated_at timestamptz not null,
  primary key (store_id, payment_id)
);

create table shipment (
  store_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  tracking_number text collate "C" not null,
  partner text not null,
  status text not null,
  estimated_delivery timestamptz,
  delivered_at timestamptz,
  tracking_url text not null default '',
  -- Lines with their quantities; empty: the whole order.
  items jsonb not null default '[]',
  -- The time of the last event that was applied, so that an older one is not.
  last_event_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, order_id, id),
  foreign key (store_id, order_id) references orders (store_id, id)
);
create index shipment_by_tracking on shipment (store_id, tracking_number);
create unique index shipment_by_id on shipment (store_id, id);

create table delivery_event (
  store_id integer not null references store,
  event_id text collate "C" not null,
  order_id text collate "C",
  shipment_id text collate "C",
  body jsonb not null,
  received_at timestamptz not null,
  outcome text not null,
  primary key (store_id, event_id)
);

-- A file that somebody has bought.
create table download (
  store_id integer not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  order_id text collate "C" not null,
  position integer not null,
  used integer not null default 0,
  most_uses integer not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (store_id, id),
  unique (store_id, order_id, position),
  foreign key (store_id, order_id, position) references order_line (store_id, order_id, position),
  foreign key (store_id, customer_id) references customer (store_id, id)
);
create index download_of_customer on download (store_id, customer_id, id);

-- Credentials of a store at a payment provider, encrypted with the service's secret.
create table payment_account (
  store_id integer not null references store,
  provider text not null,
  credentials text not null,
  updated_at timestamptz not null,
  primary key (store_id, provider)
);
