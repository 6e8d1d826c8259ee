-- Lists by category are read from listing, and categories are never deleted: no statement looks products up by category.
drop index product_by_category;
