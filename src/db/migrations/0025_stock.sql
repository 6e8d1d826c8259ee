-- The ledger of stock, and thresholds of low stock for each variant (decision 0042).

alter table variant
  -- Available units at which it counts as low in stock. Null: as the store says.
  add column low_stock_threshold integer check (low_stock_threshold >= 0);

alter table store
  -- The threshold that the stock rows have. A job writes it to them after the store has changed its own.
  add column low_stock_applied integer not null default 5;
update store set low_stock_applied = low_stock_threshold where low_stock_applied <> low_stock_threshold;
create index store_low_stock_due on store (id) where low_stock_applied <> low_stock_threshold;

alter table stock
  -- The threshold of the variant, or that of the store. Kept here, so that the row alone says whether it is low.
  add column low_at integer not null default 5 check (low_at >= 0);
update stock k set low_at = s.low_stock_threshold from store s where s.id = k.store_id and k.low_at <> s.low_stock_threshold;
-- Lists of what is sold out read stock rows, so every tracked variant has one at least at the default outlet.
insert into stock (store_id, variant_id, outlet_id, product_id, on_hand, low_at)
select v.store_id, v.id, s.default_outlet_id, v.product_id, 0, s.low_stock_threshold
from variant v join store s on s.id = v.store_id
where v.stock_tracked and s.default_outlet_id is not null
  and not exists (select from stock k where k.store_id = v.store_id and k.variant_id = v.id);
alter table stock
  add column is_low boolean not null generated always as (on_hand - reserved <= low_at) stored;
-- Both change only when a row becomes low or is no longer low, so that other moves of units stay cheap.
create index stock_low on stock (store_id, variant_id, outlet_id) where is_low;
create index stock_low_products on stock (store_id, product_id) where is_low;

-- Every change of a stock row. Without foreign keys: checkout writes it, and `doctor` compares it with the stock.
create table stock_move (
  seq bigint not null generated always as identity,
  at timestamptz not null,
  store_id integer not null,
  outlet_id integer not null,
  -- What is added to both, and what they are then.
  on_hand integer not null,
  reserved integer not null,
  on_hand_after integer not null,
  reserved_after integer not null,
  variant_id text collate "C" not null,
  cause text not null
    check (cause in ('opening', 'order', 'cancel', 'refund', 'return', 'adjustment', 'import')),
  order_id text collate "C",
  reason text,
  -- Who made the change. Null for what happens to orders.
  actor_kind text,
  actor_id text,
  actor_name text,
  primary key (store_id, variant_id, seq)
);

insert into stock_move (at, store_id, outlet_id, on_hand, reserved, on_hand_after, reserved_after, variant_id, cause)
select vitrine_now(), store_id, outlet_id, on_hand, reserved, on_hand, reserved, variant_id, 'opening'
from stock where on_hand <> 0;
analyze stock, stock_move;
