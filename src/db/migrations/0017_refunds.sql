-- The provider's id of the money it took, which refunds and disputes name. A duplicate payment is not the order's own: it
-- is refunded as a whole, and the order stays paid.
alter table payment
  add column transaction_ref text collate "C",
  add column is_duplicate boolean not null default false,
  -- When the provider is asked about a closed or failed payment whose page can still be paid. Null: never.
  add column late_check_at timestamptz;
create index payment_to_check_late on payment (late_check_at) where late_check_at is not null;
create index payment_to_check_late_of_store on payment (store_id, late_check_at) where late_check_at is not null;
create index payment_by_reference on payment (reference) where reference is not null;
create index payment_by_transaction on payment (store_id, transaction_ref) where transaction_ref is not null;

-- The payment that an event names without an order: the event waits until that payment is known.
alter table payment_event add column transaction_ref text collate "C";
create index payment_event_waiting on payment_event (store_id, transaction_ref) where transaction_ref is not null;
create index payment_event_mismatched on payment_event (store_id, order_id) where outcome = 'mismatch';

alter table orders drop constraint orders_payment_status_check;
alter table orders add constraint orders_payment_status_check
  check (payment_status in ('pending', 'paid', 'failed', 'partially_refunded', 'refunded')) not valid;
alter table orders validate constraint orders_payment_status_check;

-- For the list of orders that need attention.
create index orders_flagged on orders (store_id, number) where needs_attention is not null;

-- How many units of a line were refunded, or are being refunded, and how many went back to stock while the others stay
-- sold.
alter table order_line
  add column refunded integer not null default 0,
  add column restocked integer not null default 0;
alter table order_line add constraint order_line_refunded_check
  check (refunded between 0 and quantity and restocked between 0 and quantity) not valid;
alter table order_line validate constraint order_line_refunded_check;

create table refund (
  store_id integer not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  payment_id text collate "C" not null,
  amount_minor bigint not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  -- The provider's id of the refund.
  reference text collate "C",
  reason text not null default '',
  -- Why the provider refused it.
  detail text not null default '',
  -- Failed because the provider refused the call, not because it reported a failure. A later report of the refund counts.
  is_refused boolean not null default false,
  -- Lines with their quantities. Empty: an amount, or all that was left.
  items jsonb not null default '[]',
  -- Whether units go back to stock. Null: those that were not shipped.
  restock boolean,
  -- Lines with the units that this refund has returned to stock. They are taken again if it fails after that.
  restocked jsonb not null default '[]',
  -- When the provider is called or asked next. Null: the refund is decided.
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id),
  foreign key (store_id, payment_id) references payment (store_id, id)
) with (fillfactor = 85);
create index refund_of_order on refund (store_id, order_id);
create unique index refund_by_reference on refund (store_id, payment_id, reference) where reference is not null;
create index refund_due on refund (due_at) where due_at is not null;
create index refund_due_of_store on refund (store_id, due_at) where due_at is not null;

-- Until now a payment was refunded as a whole, and its row held the state of that.
update payment p set is_duplicate = true
where p.refund_due_at is not null and exists (
  select from payment other
  where other.store_id = p.store_id and other.order_id = p.order_id and other.id <> p.id and other.status = 'paid'
    and other.refund_due_at is null);
insert into refund (store_id, id, order_id, payment_id, amount_minor, status, due_at, attempts, created_at, updated_at)
select p.store_id, 'ref' || substr(p.id, 4), p.order_id, p.id, p.amount_minor,
  case when p.status = 'refunded' then 'succeeded' else 'pending' end,
  case when p.status = 'refunded' then null else p.refund_due_at end, p.refund_attempts, p.updated_at, p.updated_at
from payment p
where p.amount_minor > 0 and (p.status = 'refunded' or p.refund_due_at is not null);
update payment set refund_due_at = null where refund_due_at is not null;
drop index payment_to_refund;
drop index payment_to_refund_of_store;
