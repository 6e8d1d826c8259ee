-- The tax that a refund returns, by rate: [{"rate", "baseMinor", "taxMinor"}]. It is settled when the refund is requested, so
-- that credit notes and reports never differ.
alter table refund add column taxes jsonb not null default '[]';

-- Changes of the refunded tax: [{"at", "sign", "taxes"}], at the time of each refund.
alter table sale_entry add column refunded_taxes jsonb;

-- Refunded tax by rate, on the day of the refund.
alter table sales_part drop constraint sales_part_kind_check;
alter table sales_part add constraint sales_part_kind_check
  check (kind in ('product', 'outlet', 'coupon', 'tax', 'tax_refund')) not valid;
alter table sales_part validate constraint sales_part_kind_check;

create index refund_by_time on refund (store_id, created_at);

-- Refunds until now return the same share of each rate. The shares of the first refunds of an order together are rounded,
-- and each refund gets the difference to those before, so that they add up.
with counted as (
  select r.store_id, r.id, r.order_id, o.total_minor as total, o.tax_included,
    least(o.total_minor, sum(r.amount_minor) over before_and_now) as upto,
    least(o.total_minor, sum(r.amount_minor) over before_and_now - r.amount_minor) as before
  from refund r
  join payment p on p.store_id = r.store_id and p.id = r.payment_id
  join orders o on o.store_id = r.store_id and o.id = r.order_id
  where r.status <> 'failed' and not p.is_duplicate and o.total_minor > 0
  window before_and_now as (partition by r.store_id, r.order_id order by r.created_at, r.id)),
shares as (
  select c.store_id, c.id, l.tax_rate as rate,
    round(sum(l.tax_minor) * c.upto / c.total) - round(sum(l.tax_minor) * c.before / c.total) as tax,
    round(sum(l.line_total_minor - l.discount_minor + case when c.tax_included then 0 else l.tax_minor end)
        * c.upto / c.total)
      - round(sum(l.line_total_minor - l.discount_minor + case when c.tax_included then 0 else l.tax_minor end)
        * c.before / c.total) as paid
  from counted c
  join order_line l on l.store_id = c.store_id and l.order_id = c.order_id
  group by c.store_id, c.id, c.upto, c.before, c.total, l.tax_rate)
update refund r set taxes = s.taxes
from (
  select store_id, id, jsonb_agg(jsonb_build_object(
    'rate', rate::float8, 'baseMinor', (paid - tax)::bigint, 'taxMinor', tax::bigint) order by rate desc) as taxes
  from shares where paid <> 0 or tax <> 0 group by store_id, id) s
where r.store_id = s.store_id and r.id = s.id;

insert into sale_entry (store_id, order_id, orders, at, refunded_taxes)
select r.store_id, r.order_id, 0, now(),
  jsonb_agg(jsonb_build_object('at', r.created_at, 'sign', 1, 'taxes', r.taxes))
from refund r
join payment p on p.store_id = r.store_id and p.id = r.payment_id
join orders o on o.store_id = r.store_id and o.id = r.order_id
where r.status <> 'failed' and not p.is_duplicate and o.status <> 'cancelled'
  and (o.payment_method = 'cod' or o.payment_status in ('paid', 'partially_refunded', 'refunded'))
group by r.store_id, r.order_id;
