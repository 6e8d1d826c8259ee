-- oldest version beside: 0.2.0
-- The last order number of each store, in a row instead of a sequence (decision 0053): a sequence for each store is a
-- relation for each store, and a distributed database cannot make one. The row is advanced by a transaction of its own,
-- before that of the order. A store gets its row with its first order.
--
-- Costs one lookup in an index for each store. Earlier versions cannot place orders beside it.
create table order_counter (
  store_id integer primary key references store,
  last_number integer not null
) with (fillfactor = 50);

insert into order_counter (store_id, last_number)
select s.id, n.last
from store s cross join lateral (select max(o.number) as last from orders o where o.store_id = s.id) n
where n.last is not null;

drop trigger store_order_numbers on store;
drop function make_order_numbers();

-- Drops some of the old sequences; the next migration calls it until none is left. A transaction has room for some thousand
-- locks.
create function drop_order_sequences() returns integer language plpgsql as $$
declare
  name text;
  dropped integer := 0;
begin
  for name in select relname from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace and relname ~ '^order_number_[0-9]+$' limit 500
  loop
    execute format('drop sequence %I', name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- The same clock, without `coalesce`, which a distributed database refuses around settings in statements that write.
create or replace function vitrine_now() returns timestamptz language sql stable as $$
  select now() + concat(current_setting('vitrine.clock_offset', true), ' 0 years')::interval
$$;
