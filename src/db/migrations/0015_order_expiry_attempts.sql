-- The job that cancels expired orders claims each one until expiry_retry_at, and tries one that failed later and later.
alter table orders
  add column expiry_retry_at timestamptz,
  add column expiry_attempts integer not null default 0;
