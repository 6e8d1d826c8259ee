-- What product files of other shops know: vendor, picture texts, barcode, weight, the picture of a variant, and stock
-- that nobody counts.

alter table product
  add column vendor text not null default '',
  -- The texts of `images`, one for each; empty when no picture has one.
  add column image_texts text[] not null default '{}';

alter table variant
  add column barcode text not null default '',
  add column weight_grams numeric(12, 3) check (weight_grams >= 0),
  add column image text not null default '',
  -- False: sold without counting, at every outlet. What its stock rows say does not matter then.
  add column stock_tracked boolean not null default true;

-- Few variants are not tracked, and lists look for them beside the stock of every product that they show.
create index variant_untracked on variant (store_id, product_id) where not stock_tracked and active;

-- Whether its units were taken from the stock when it was ordered: only then are they given back. It stays as it is when
-- the variant becomes tracked, or not tracked, later.
alter table order_line add column stock_counted boolean not null default true;

-- Until now "never runs out" was written as a million units at every outlet, less what was sold since.
with endless as (
  select s.store_id, s.variant_id from stock s
  group by s.store_id, s.variant_id
  having min(s.on_hand - s.reserved) >= 900000 and max(s.on_hand - s.reserved) <= 1001000
    and count(*) = (select count(*) from outlet o where o.store_id = s.store_id)),
changed as (
  update variant v set stock_tracked = false from endless e
  where v.store_id = e.store_id and v.id = e.variant_id
  returning v.store_id, v.id)
update listing l set in_stock = true from changed c
join variant v on v.store_id = c.store_id and v.id = c.id and v.active
where l.store_id = c.store_id and l.product_id = v.product_id and not l.in_stock;
