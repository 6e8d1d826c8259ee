-- oldest version beside: 0.2.0
-- runs: in batches
--
-- The sequences of order numbers, which nothing uses any more.
select case when dropped > 0 then (coalesce($1, '0')::integer + dropped)::text end as cursor, dropped as rows
from drop_order_sequences() dropped;
