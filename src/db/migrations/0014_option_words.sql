-- Lists are filtered by option (Colour, Size) through marked words of their rows (decision 0026). This writes them for
-- products that were saved before there were any.
update listing l set words = l.words || array_to_tsvector(array(
  select distinct l.outlet_id || '=' || left(chosen.key || chr(31) || chosen.value, 300)
  from variant v, jsonb_each_text(v.options) chosen
  where v.store_id = l.store_id and v.product_id = l.product_id and v.active))
where exists (
  select from variant v
  where v.store_id = l.store_id and v.product_id = l.product_id and v.active and v.options <> '{}');
