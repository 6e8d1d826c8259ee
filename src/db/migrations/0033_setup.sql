-- The checklist of a new store: free shipping and prices without tax are what a store begins with, so only these columns
-- tell whether they were chosen. Stores that exist are set up.
alter table store
  add column shipping_decided boolean not null default false,
  add column tax_decided boolean not null default false;
update store set shipping_decided = true, tax_decided = true;

-- When the provider last accepted the credentials as they are. Null: they were saved without a check.
alter table payment_account add column checked_at timestamptz;
update payment_account set checked_at = updated_at;
