-- oldest version beside: 0.2.0
-- How common words are in a store, so that a search knows how to read them before it reads any (decision 0057). Only words
-- and beginnings of words (`te*`) that are in more products than a search counts; of words that have no row it is known
-- that they are rarer. Counted by a job, in a sample of the store.
create table search_common (
  store_id integer not null references store,
  word text collate "C" not null,
  -- How many products have it, and how many in their name.
  products integer not null,
  named integer not null,
  primary key (store_id, word)
);

-- When a store is counted next. Null: nothing has changed since.
create table search_count (
  store_id integer primary key references store,
  due_at timestamptz,
  counted_at timestamptz,
  -- How many products the store had.
  products integer not null default 0
);
create index search_count_due on search_count (due_at) where due_at is not null;

insert into search_count (store_id, due_at)
select store_id, now() from category group by store_id having sum(product_count) >= 1000;
