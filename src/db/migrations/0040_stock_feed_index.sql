-- oldest version beside: 0.2.0
-- runs: concurrently
--
-- Transactions are numbered upwards, so new entries go to the end of the index.
create index concurrently stock_move_by_transaction on stock_move (xid) where xid is not null;
