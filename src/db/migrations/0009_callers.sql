-- How many one-time passwords one client may ask a store for in an hour.
alter table store add column otp_client_limit integer not null default 100 check (otp_client_limit > 0);

-- Requests of whoever has signed in with a code of this phone before, counted apart from those of strangers.
alter table one_time_code add column known_requested_at timestamptz[] not null default '{}';

-- A code that is bound to whoever asked for it, by the token in the answer. It has tries of its own, and neither
-- requests nor guesses of others touch it.
create table otp_request (
  store_id integer not null references store,
  phone text collate "C" not null,
  token_hash text collate "C" not null,
  -- Null once it was used.
  code_hash text collate "C",
  attempts_left smallint not null check (attempts_left >= 0),
  expires_at timestamptz not null,
  -- The code was used with this token, which proves later requests to come from the same person.
  proven boolean not null default false,
  forget_at timestamptz not null,
  primary key (store_id, phone, token_hash)
);
-- Expired rows of all stores are deleted by their age.
create index otp_request_by_age on otp_request (forget_at);
