-- oldest version beside: 0.2.0
-- runs: concurrently
--
-- Every unique key of a tenant's table has the store, because a distributed database can only check keys within a store
-- (decision 0053). The primary keys do. These indexes find rows that are named without their store; the ids are random or
-- come from one sequence, so being unique was a second check.
create index concurrently orders_of_any_store on orders (id);
drop index concurrently if exists orders_by_id;
create index concurrently payment_event_of_any_store on payment_event (id);
drop index concurrently if exists payment_event_by_id;
create index concurrently delivery_event_of_any_store on delivery_event (id);
drop index concurrently if exists delivery_event_by_id;
create index concurrently webhook_endpoint_of_any_store on webhook_endpoint (id);
drop index concurrently if exists webhook_endpoint_by_id;
drop function if exists drop_order_sequences();
