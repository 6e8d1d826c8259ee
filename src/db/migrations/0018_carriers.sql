-- Credentials of a store at a carrier, encrypted with the service's secret.
create table carrier_account (
  store_id integer not null references store,
  carrier text not null,
  credentials text not null,
  updated_at timestamptz not null,
  primary key (store_id, carrier)
);

alter table shipment
  -- The carrier whose account the shipment was booked with. Null: the store shipped it in another way.
  add column carrier text,
  -- The carrier's ids. Null until the carrier has answered.
  add column carrier_order text collate "C",
  add column carrier_shipment text collate "C",
  add column label_url text not null default '',
  add column pickup_at timestamptz,
  -- When the carrier was last heard of, by a webhook or by asking.
  add column tracked_at timestamptz,
  -- When the carrier is asked next. Null: never, because the shipment has ended or has no carrier.
  add column track_due_at timestamptz,
  add column track_attempts integer not null default 0;

-- One index to find the stores that have shipments to track, one to claim those of a store.
create index shipment_to_track on shipment (track_due_at) where track_due_at is not null;
create index shipment_to_track_of_store on shipment (store_id, track_due_at) where track_due_at is not null;
