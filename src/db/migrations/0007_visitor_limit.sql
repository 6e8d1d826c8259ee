-- How many requests a minute one visitor may make with the browser keys of a store.
alter table store add column visitor_limit integer not null default 300 check (visitor_limit > 0);
