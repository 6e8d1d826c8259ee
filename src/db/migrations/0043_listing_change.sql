-- oldest version beside: 0.2.0
-- Which listings were written or removed, by their numbers, with the transaction that did it: the index files of instances
-- read what has changed since they last looked (decision 0059). Kept for an hour.
create table listing_change (
  store_id integer not null,
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  at timestamptz not null,
  seqs bigint[] not null,
  primary key (store_id, xid, id)
);
create index listing_change_by_time on listing_change (at);
