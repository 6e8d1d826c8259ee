-- Stores can be closed and coupons stopped. Both stay, because orders point at them.
alter table store add column closed_at timestamptz;
alter table coupon add column stopped_at timestamptz;

-- While webhook credentials are rotated, old ones are accepted beside the new one for a while. The one without an end is
-- the current one.
alter table webhook_credential add column valid_until timestamptz;
alter table webhook_credential drop constraint webhook_credential_pkey;
alter table webhook_credential add primary key (store_id, kind, secret_hash);
create unique index webhook_credential_current on webhook_credential (store_id, kind) where valid_until is null;
