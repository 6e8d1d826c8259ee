-- Whether an order has something left to ship: it is paid, or will be in cash, and has units that are neither with a carrier
-- nor refunded. The list of what is to be shipped reads only these orders (decision 0040). Statements that write the order,
-- its shipments or its refunds set it.
alter table orders add column to_ship boolean not null default false;

update orders o set to_ship = true
where o.status in ('pending', 'paid', 'out_for_delivery')
  and (o.payment_status in ('paid', 'partially_refunded') or o.payment_method = 'cod' and o.payment_status <> 'refunded')
  and not exists (
    select from shipment s where s.store_id = o.store_id and s.order_id = o.id
      and s.status not in ('cancelled', 'preparing') and s.items = '[]')
  and exists (
    select from order_line l
    where l.store_id = o.store_id and l.order_id = o.id and l.digital is null and l.quantity > l.refunded
      and l.quantity > coalesce((
        select sum(i.quantity) from shipment s
        cross join lateral jsonb_to_recordset(s.items) as i (id text, quantity integer)
        where s.store_id = o.store_id and s.order_id = o.id and s.status not in ('cancelled', 'preparing')
          and i.id = l.id), 0) + coalesce((
        select sum(i.quantity) from refund r
        cross join lateral (
          select exists (select from shipment s where s.store_id = r.store_id and s.order_id = r.order_id
            and s.status <> 'cancelled' and s.created_at <= r.created_at) as is_after_shipment) known
        cross join lateral jsonb_to_recordset(
          case when known.is_after_shipment and r.status = 'succeeded' then r.restocked else r.items end)
          as i (id text, quantity integer)
        where r.store_id = o.store_id and r.order_id = o.id and r.status <> 'failed'
          and (r.restock is null or not known.is_after_shipment) and i.id = l.id), 0));

create index orders_to_ship on orders (store_id, facet, outlet_id, created_at, number) where to_ship;
