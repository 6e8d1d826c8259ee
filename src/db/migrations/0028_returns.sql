-- Goods that a customer sends back, from the request to the refund.
create table order_return (
  store_id integer not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  status text not null check (status in ('requested', 'approved', 'rejected', 'received', 'refunded')),
  -- Lines with their quantities.
  items jsonb not null,
  -- Why the customer returns them, and what the store has answered.
  reason text not null default '',
  answer text not null default '',
  by_customer boolean not null,
  -- Whether the units went back to stock. Null: they have not arrived.
  restocked boolean,
  refund_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, order_id) references orders (store_id, id),
  foreign key (store_id, refund_id) references refund (store_id, id)
);
create index order_return_of_order on order_return (store_id, order_id);
create index order_return_by_age on order_return (store_id, created_at, id);
create index order_return_by_status on order_return (store_id, status, created_at, id);

-- For how many days after the delivery a customer can ask for a return. 0: never.
alter table store add column return_days integer not null default 30 check (return_days >= 0);
