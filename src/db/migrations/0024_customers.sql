-- Customers, coupons and events of carriers in the admin API.

alter table customer
  -- When the personal data was erased. The row stays, because orders point at it.
  add column erased_at timestamptz;

-- What arrives later about such an order is kept without personal values.
alter table orders add column erased_at timestamptz;

-- The list, newest first, and the four values that it is searched by. Ranges of the prefix are compared by byte.
create index customer_by_age on customer (store_id, created_at, id);
create index customer_by_name on customer (store_id, (lower(name) collate "C"));
create index customer_by_contact_email on customer (store_id, email) where email is not null;
create index customer_by_contact_phone on customer
  (store_id, (regexp_replace(contact_phone, '[^0-9]', '', 'g') collate "C")) where contact_phone <> '';

-- What staff note about a customer. The customer never sees it.
create table customer_note (
  store_id integer not null,
  customer_id text collate "C" not null,
  id text collate "C" not null,
  text text not null,
  author text not null,
  created_at timestamptz not null,
  primary key (store_id, customer_id, id),
  foreign key (store_id, customer_id) references customer (store_id, id)
);

-- The erasure of a customer, which goes on where it stopped.
create table erasure (
  store_id integer not null,
  customer_id text collate "C" not null,
  -- What to look for in free text: names, addresses and numbers of the customer. Null once the first pass is done.
  personal jsonb,
  -- What comes next: a step, and the number of the last order or event that it is done with.
  step smallint not null default 0,
  last_number bigint not null default 0,
  requested_at timestamptz not null,
  -- When a job goes on with it. Null: it is finished.
  due_at timestamptz,
  attempts integer not null default 0,
  finished_at timestamptz,
  primary key (store_id, customer_id),
  foreign key (store_id, customer_id) references customer (store_id, id)
);
create index erasure_due on erasure (due_at) where due_at is not null;
create index erasure_due_of_store on erasure (store_id, due_at) where due_at is not null;

-- The events of an order, and those that name none.
-- A provider can send any text as the id of an order, and an index has no room for a long one.
create index payment_event_of_order on payment_event (store_id, order_id, id) where length(order_id) <= 100;
create index payment_event_unmatched on payment_event (store_id, id)
  where order_id is null or outcome in ('unknown_order', 'malformed');

-- Events of carriers are numbered together with those of payment providers, so that one list can hold both.
alter table delivery_event
  add column id bigint not null default nextval('payment_event_id_seq'),
  -- The format of the body: that of /webhook/logistics/carrier, or of a carrier.
  add column source text not null default 'carrier';
update delivery_event set source = 'shiprocket' where not body ? 'eventId';
-- An operator names an event by its number alone.
create unique index delivery_event_by_id on delivery_event (id);
create index delivery_event_list on delivery_event (store_id, id);
create index delivery_event_of_order on delivery_event (store_id, order_id, id) where order_id is not null;
create index delivery_event_unmatched on delivery_event (store_id, id) where order_id is null;

-- The orders that have used a coupon, and coupons newest first.
create index orders_of_coupon on orders (store_id, coupon_id, number) where coupon_id is not null;
create index coupon_by_age on coupon (store_id, created_at, id);
