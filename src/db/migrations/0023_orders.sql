-- The merchant's side of orders: a list with filters and search, notes, invoices.

-- Status, payment, delivery and attention in one number. The list reads the newest orders of each number and outlet that
-- it wants, and merges them, so one index serves every combination of filters (decision 0040).
create function order_facet(status text, payment_status text, delivery_status text, is_flagged boolean)
returns integer language sql immutable parallel safe
return array_position(array['pending', 'paid', 'out_for_delivery', 'delivered', 'cancelled', 'refunded'], status) * 1000
  + array_position(array['pending', 'paid', 'failed', 'partially_refunded', 'refunded'], payment_status) * 100
  + coalesce(array_position(array['out_for_delivery', 'delivered'], delivery_status), 0) * 10
  + is_flagged::integer;
-- A column, because an index on an expression is never read without its rows.
alter table orders add column facet integer not null
  generated always as (order_facet(status, payment_status, delivery_status, needs_attention is not null)) stored;
create index orders_list on orders (store_id, facet, outlet_id, created_at, number);
-- Only the old list of orders that need attention used it.
drop index orders_flagged;

-- What an order is searched by, in lower case: names from each word on, email, digits of phone numbers, SKUs. The texts
-- are those of the time of the order. A table of its own, because an index on orders would be written again with every
-- change of an order, and could not be read without it.
create table order_search (
  store_id integer not null,
  number integer not null,
  term text collate "C" not null
);

create function order_search_terms(address jsonb, name text, email text, phone text, skus text[])
returns setof text language sql immutable parallel safe
begin atomic
  select distinct left(t.term, 60) from (
    select unnest(array[n.name, regexp_replace(n.name, '^\S+\s+', ''), regexp_replace(n.name, '^\S+\s+\S+\s+', '')])
    from unnest(array[lower(trim(address ->> 'name')), lower(trim(name))]) n (name)
    union all select lower(email)
    union all select regexp_replace(p.phone, '\D', '', 'g') from unnest(array[address ->> 'phone', phone]) p (phone)
    union all select lower(s.sku) from unnest(skus) s (sku)) t (term)
  where t.term <> '';
end;

insert into order_search (store_id, number, term)
select o.store_id, o.number, t.term
from orders o
join customer c on c.store_id = o.store_id and c.id = o.customer_id
cross join lateral order_search_terms(o.shipping_address, c.name, c.email, coalesce(c.phone, c.contact_phone),
  array(select l.sku from order_line l where l.store_id = o.store_id and l.order_id = o.id)) t (term);
alter table order_search add primary key (store_id, number, term);
-- In blocks of 4096 orders: a search reads the newest block first, and stops when it has a page. Terms of new orders are
-- written to few pages of the index.
create index order_search_by_term on order_search (store_id, (number / 4096), term, number);

-- What staff have written about an order. The customer does not see it.
create table order_note (
  store_id integer not null,
  order_id text collate "C" not null,
  id text collate "C" not null,
  text text not null,
  author_kind text not null check (author_kind in ('staff', 'token', 'command')),
  author_id text collate "C" not null,
  author_name text not null,
  created_at timestamptz not null,
  primary key (store_id, order_id, id),
  foreign key (store_id, order_id) references orders (store_id, id)
);

-- The last number of each series of invoices and credit notes. The row is locked until the invoice is committed, so that
-- a series has no gap.
create table invoice_series (
  store_id integer not null references store,
  kind text not null check (kind in ('invoice', 'credit_note')),
  -- A financial year such as 2026-27; empty if numbers go on from year to year.
  series text collate "C" not null,
  last_number integer not null,
  primary key (store_id, kind, series)
);

-- Invoices and credit notes as they were issued. Rows are only added.
create table invoice (
  store_id integer not null,
  kind text not null,
  series text collate "C" not null,
  number integer not null,
  -- The number as it is printed.
  label text collate "C" not null,
  order_id text collate "C" not null,
  -- The refund that a credit note is about; empty for an invoice.
  refund_id text collate "C" not null default '',
  -- Seller, buyer, lines and amounts as printed.
  content json not null,
  issued_at timestamptz not null,
  primary key (store_id, kind, series, number),
  foreign key (store_id, kind, series) references invoice_series (store_id, kind, series),
  foreign key (store_id, order_id) references orders (store_id, id),
  unique (store_id, kind, label)
);
-- An order has one invoice, and a refund one credit note.
create unique index invoice_of_order on invoice (store_id, order_id, kind, refund_id);

alter table store
  -- What staff with the role support may refund of one order, in all. Null: nothing.
  add column support_refund_limit_minor bigint check (support_refund_limit_minor > 0),
  add column tax_id text not null default '',
  add column invoice_prefix text not null default '',
  -- The month in which the numbers of invoices begin again. Null: never.
  add column invoice_year_start smallint check (invoice_year_start between 1 and 12);
