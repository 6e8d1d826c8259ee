-- oldest version beside: 0.2.0
-- The transaction that made each entry of the stock ledger, so that caches can read what was sold since they last looked
-- (decision 0055). A default, so that instances of the version before write it too. Entries from before have none.
alter table stock_move add column xid xid8;
alter table stock_move alter column xid set default pg_current_xact_id();
