-- What happened, and who is told about it: events, outgoing webhooks and mail (decision 0037).

alter table store
  -- Available units at which a variant counts as low in stock.
  add column low_stock_threshold integer not null default 5 check (low_stock_threshold >= 0),
  -- The colour of buttons and links in mail, #rrggbb. Empty: the default.
  add column brand_color text not null default '',
  -- The sender's name and the reply address of the store's mail. Empty: the name and the contact address of the store.
  add column mail_sender_name text not null default '',
  add column mail_reply_to text not null default '',
  -- Messages that the store has switched off, such as order.shipped.
  add column mail_off text[] not null default '{}';

-- How many events these rows have had: the sequence of their next event is one more.
alter table orders
  add column event_count integer not null default 0,
  -- The language of the shopper at checkout, such as hi. Null: that of the store.
  add column language text;
alter table customer
  add column event_count integer not null default 0,
  add column language text,
  -- When the address in `email` was confirmed. Null: it is as typed.
  add column email_verified_at timestamptz;
alter table product add column event_count integer not null default 0;
alter table stock add column event_count integer not null default 0;

-- An address signs in one customer: with a password, or by a code once it is confirmed.
drop index customer_by_email;
create unique index customer_by_email on customer (store_id, email)
  where password_hash is not null or email_verified_at is not null;

-- No foreign keys: a row is written in the transaction that changes its subject, which has them.
create table event (
  store_id integer not null,
  id text collate "C" not null,
  type text not null,
  -- The id of the order, customer or product, or of a variant and an outlet.
  subject text collate "C" not null,
  sequence integer not null,
  -- The rows of the subject as they were then. What the API shows is made from it when it is sent.
  data json not null,
  created_at timestamptz not null,
  primary key (store_id, id),
  unique (store_id, subject, sequence)
);
create index event_by_age on event (created_at);
-- Rows of up to 8 kB are kept as they are: compressing them took longer than the rest of the insert.
alter table event set (toast_tuple_target = 8160);

create table webhook_endpoint (
  store_id integer not null references store,
  id text collate "C" not null,
  url text not null,
  -- Types such as order.paid, or groups such as order.*.
  types text[] not null,
  -- Encrypted with the service's secret. The old one also signs until its time has passed.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Nothing is sent before: the endpoint was overloaded, or has asked for a pause.
  paused_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'merchant')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Removed once its deliveries are: an event that is being recorded may still refer to it.
  deleted_at timestamptz,
  primary key (store_id, id),
  check ((disabled_at is null) = (disabled_reason is null)),
  check (deleted_at is null or disabled_at is not null)
);
create unique index webhook_endpoint_by_id on webhook_endpoint (id);
-- Read by every event.
create index webhook_endpoint_enabled on webhook_endpoint (store_id) where disabled_at is null;
create index webhook_endpoint_disabled on webhook_endpoint (store_id, id) where disabled_at is not null;
create index webhook_endpoint_deleted on webhook_endpoint (deleted_at) where deleted_at is not null;

-- One event for one endpoint. No foreign key to the endpoint, which every checkout would lock and check: the row of an
-- endpoint is deleted only long after its last delivery.
create table webhook_delivery (
  store_id integer not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  -- Attempts since the delivery was last asked for.
  attempts smallint not null default 0,
  -- When it is tried next. While it is being sent: when another instance may take over.
  next_at timestamptz not null,
  is_sending boolean not null default false,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (store_id, id),
  check ((state = 'waiting') = (finished_at is null))
);
-- One index to find the stores with something to send, one to claim it by endpoint, one to count what is being sent to
-- an endpoint, however much waits for it, one to deliver it again, one to delete it. The list is in the order of the primary key, because an id begins with the time of the event.
create index webhook_delivery_due on webhook_delivery (store_id, next_at) where state = 'waiting';
create index webhook_delivery_of_endpoint on webhook_delivery (store_id, endpoint_id, next_at) where state = 'waiting';
create index webhook_delivery_sending on webhook_delivery (store_id, endpoint_id) where state = 'waiting' and is_sending;
create index webhook_delivery_failed on webhook_delivery (store_id, id) where state = 'failed';
create index webhook_delivery_by_age on webhook_delivery (finished_at) where state <> 'waiting';

create table webhook_attempt (
  store_id integer not null,
  delivery_id text collate "C" not null,
  at timestamptz not null,
  -- Null if there was no answer.
  status integer,
  duration_ms integer not null,
  -- Why it failed, in words; empty if it did not.
  error text not null,
  -- The first kilobyte of the answer.
  answer text not null,
  primary key (store_id, delivery_id, at)
);
create index webhook_attempt_by_age on webhook_attempt (at);

create table mail (
  store_id integer not null,
  id text collate "C" not null,
  -- order.paid, password.reset and so on.
  message text not null,
  -- Mail of one lane never waits for that of another.
  lane text not null default 'order' check (lane in ('order', 'code', 'reset')),
  -- The event that the message tells of, or null.
  event_id text collate "C",
  -- Null: the customer of the event, or the contact address of the store.
  recipient text,
  -- Null: that of the event or the store.
  language text,
  -- What the message needs besides.
  data jsonb not null default '{}',
  -- A one-time code, encrypted with the service's secret. Removed once the mail is sent.
  sealed text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'skipped')),
  attempts smallint not null default 0,
  next_at timestamptz not null,
  -- Why it was not sent, in words.
  error text not null default '',
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (store_id, id),
  check ((state = 'waiting') = (finished_at is null))
);
create index mail_of_store_due on mail (lane, store_id, next_at) where state = 'waiting';
create index mail_of_event on mail (store_id, event_id) where event_id is not null;
-- To count the mails to an address.
create index mail_by_recipient on mail (store_id, recipient, created_at) where recipient is not null;
-- For the limit of one such mail a day.
create index mail_of_low_stock on mail (store_id, finished_at)
  where message = 'stock.low' and state in ('waiting', 'sent');
create index mail_by_age on mail (finished_at) where state <> 'waiting';

-- Links in mail: their tokens are hashed, valid once and for a short time.
create table mail_token (
  store_id integer not null,
  token_hash text collate "C" not null,
  purpose text not null check (purpose in ('password.reset', 'email.verify')),
  customer_id text collate "C" not null,
  -- The address that the mail was sent to.
  email text collate "C" not null,
  expires_at timestamptz not null,
  primary key (store_id, token_hash),
  foreign key (store_id, customer_id) references customer (store_id, id)
);
create index mail_token_of_customer on mail_token (store_id, customer_id);
create index mail_token_by_age on mail_token (expires_at);
