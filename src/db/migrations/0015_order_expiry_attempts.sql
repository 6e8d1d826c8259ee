-- The job that cancels expired orders claims each one until expiry_retry_at, and tries one that failed later and later.
alter table orders
  add column expiry_retry_at timestamptz,
  add column expiry_attempts integer not null default 0;

-- When the job is due. One index to find the stores that have work, one to claim the work of a store.
drop index orders_due;
create index orders_due on orders (greatest(expires_at, expiry_retry_at)) where expires_at is not null;
create index orders_due_of_store on orders (store_id, greatest(expires_at, expiry_retry_at))
  where expires_at is not null;
create index payment_to_refund_of_store on payment (store_id, refund_due_at) where refund_due_at is not null;
