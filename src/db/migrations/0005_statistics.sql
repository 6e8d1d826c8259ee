-- An outlet is of one store. Without knowing that, the planner multiplies the two as if they had nothing to do with each
-- other, expects one row in every outlet, and then any index that begins with them seems as good as the one that also
-- has the product: one product was looked for by price through the whole of a large store.
create statistics listing_place (dependencies) on store_id, outlet_id from listing;
create statistics stock_place (dependencies) on store_id, outlet_id from stock;
create statistics price_override_place (dependencies) on store_id, outlet_id from price_override;
analyze listing, stock, price_override;
