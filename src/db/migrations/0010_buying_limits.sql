-- Limits on what one customer can hold without paying, coupons that are listed only when asked for, and one domain for
-- each store.

alter table store
  -- The largest total of one cash order, in minor units. Null: the default of the store's currency. Zero: no limit.
  add column cod_max_value_minor bigint check (cod_max_value_minor >= 0),
  -- Null means no limit, here and below.
  add column cod_max_units integer default 20 check (cod_max_units > 0),
  add column cod_max_open_orders integer default 5 check (cod_max_open_orders > 0),
  add column cod_verified_phone boolean not null default false,
  -- Units in all unpaid orders of one customer, cash orders that are not delivered yet included.
  add column max_held_units integer default 1000 check (max_held_units > 0),
  -- Earlier versions let two stores have one domain. The oldest keeps it; the others work as before and are marked, so
  -- that the index can refuse every new duplicate. Setting a domain of its own removes the mark.
  add column domain_is_duplicate boolean not null default false;

update store set domain_is_duplicate = true
where exists (select from store older where older.domain = store.domain and older.id < store.id);
create unique index store_domain on store (domain) where not domain_is_duplicate;

-- How many units an order has, so that the limits need not add up its lines. Only open orders are asked for theirs.
alter table orders add column units integer not null default 0;
update orders o set units = (
  select coalesce(sum(l.quantity), 0) from order_line l where l.store_id = o.store_id and l.order_id = o.id)
where o.payment_status in ('pending', 'failed') and o.status in ('pending', 'out_for_delivery');
create index orders_unpaid on orders (store_id, customer_id)
  where payment_status in ('pending', 'failed') and status in ('pending', 'out_for_delivery');

-- Existing codes are not listed: a code for staff may be among them.
alter table coupon add column listed boolean not null default false;
create index coupon_listed on coupon (store_id, code) where listed;

-- A store that was made to be paid in cash was offered cards, which nobody took, and no cash.
update store set cash_on_delivery = true where payment_provider = 'cod';
