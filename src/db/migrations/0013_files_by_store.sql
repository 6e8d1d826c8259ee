-- Files that are sold lie in a folder for each store from here on. Until now all stores shared one, so what products and
-- orders name at this moment is written down: `start` and `migrate` copy it into the folder of each store that named it,
-- and nothing else. A name can be longer than an index takes, so it is in no key.
create table shared_file (
  store_id integer not null references store,
  id bigint generated always as identity,
  name text not null,
  primary key (store_id, id)
);

insert into shared_file (store_id, name)
select store_id, digital ->> 'file' from product where digital ->> 'file' <> ''
union
select store_id, digital ->> 'file' from order_line where digital ->> 'file' <> '';

-- The files of the demo come with the program, and are those of a demo store alone.
alter table store add column is_demo boolean not null default false;
