-- How many one-time passwords one client may ask a store for in an hour.
alter table store add column otp_client_limit integer not null default 100 check (otp_client_limit > 0);
