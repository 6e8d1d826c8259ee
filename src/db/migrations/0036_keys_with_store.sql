-- Every unique key of a tenant's table has the store, because a distributed database can only check keys within a store
-- (decision 0050). The primary keys do. These indexes find rows that are named without their store; the ids are random or
-- come from one sequence, so being unique was a second check.
--
-- Builds four indexes, during which the four tables can be read but not written: about a second for a million orders.
drop index orders_by_id;
create index orders_by_id on orders (id);
drop index payment_event_by_id;
create index payment_event_by_id on payment_event (id);
drop index delivery_event_by_id;
create index delivery_event_by_id on delivery_event (id);
drop index webhook_endpoint_by_id;
create index webhook_endpoint_by_id on webhook_endpoint (id);
