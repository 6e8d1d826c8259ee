-- Whether a customer has placed an order, for a filter of the list of customers. The statement that places an order sets
-- it. It stays, because orders are never deleted and never move to another customer.
alter table customer add column has_orders boolean not null default false;
update customer c set has_orders = true
where exists (select from orders o where o.store_id = c.store_id and o.customer_id = c.id);

-- The list by age: of all, of those with or without orders, and of erased ones. Counting reads only the index.
drop index customer_by_age;
create index customer_by_age on customer (store_id, created_at, id) where erased_at is null;
create index customer_by_orders on customer (store_id, has_orders, created_at, id) where erased_at is null;
create index customer_erased on customer (store_id, created_at, id) where erased_at is not null;
