-- Changes of the sales figures, written in the transactions that make them. A job adds them to the tables below and
-- deletes them; until then a report adds them itself, so it is exact at all times.
create table sale_entry (
  store_id integer not null,
  id bigint generated always as identity,
  order_id text collate "C" not null,
  -- 1: the order counts as a sale from now on. -1: no longer. 0: only its refunds have changed.
  orders smallint not null,
  refunds_minor bigint not null default 0,
  -- Lines with the units that were refunded, negative where a refund has failed.
  refunded_units jsonb,
  at timestamptz not null,
  primary key (store_id, id)
);

-- Sales by the quarter of an hour in which orders were placed: days of every time zone begin with one.
create table sales_quarter_hour (
  store_id integer not null,
  at timestamptz not null,
  orders bigint not null,
  gross_minor bigint not null,
  discount_minor bigint not null,
  tax_minor bigint not null,
  shipping_minor bigint not null,
  total_minor bigint not null,
  refunds_minor bigint not null,
  primary key (store_id, at)
) with (fillfactor = 80);

-- Sales by product, outlet, coupon and tax rate, for months and days in UTC: a report reads the whole months of a period,
-- then the whole days at both ends, and the remaining hours from the orders.
create table sales_part (
  store_id integer not null,
  kind text collate "C" not null check (kind in ('product', 'outlet', 'coupon', 'tax')),
  grain text collate "C" not null check (grain in ('day', 'month')),
  -- The first day of a month.
  day date not null,
  key text collate "C" not null,
  orders bigint not null,
  quantity bigint not null,
  refunded_quantity bigint not null,
  gross_minor bigint not null,
  discount_minor bigint not null,
  tax_minor bigint not null,
  shipping_minor bigint not null,
  total_minor bigint not null,
  refunds_minor bigint not null,
  primary key (store_id, kind, grain, day, key)
) with (fillfactor = 80);

create index orders_by_time on orders (store_id, created_at);

-- Sales until now.
insert into sale_entry (store_id, order_id, orders, refunds_minor, at, refunded_units)
select o.store_id, o.id, 1, (
    select coalesce(sum(r.amount_minor), 0) from refund r
    join payment p on p.store_id = r.store_id and p.id = r.payment_id
    where r.store_id = o.store_id and r.order_id = o.id and r.status <> 'failed' and not p.is_duplicate), now(), (
    select jsonb_agg(jsonb_build_object('id', l.id, 'refunded', l.refunded)) from order_line l
    where l.store_id = o.store_id and l.order_id = o.id and l.refunded > 0)
from orders o
where o.status <> 'cancelled'
  and (o.payment_method = 'cod' or o.payment_status in ('paid', 'partially_refunded', 'refunded'));
