import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type UsablePicture = { id: string; path: string; alt: string }

/** The pictures of the store that can be shown. Until the commit, none of them is deleted. */
export const lockPictures = (tx: Tx, storeId: StoreId, ids: readonly string[]) => tx.many<UsablePicture>`
  select m.id, m.path, m.alt from media m
  where m.store_id = ${storeId} and m.id = any(${ids}) and m.state = 'ready' and m.deleted_at is null
  order by m.id for key share`

export const listPicturesByHash = (db: Queries, storeId: StoreId, hashes: readonly string[]) => db.many<UsablePicture>`
  select m.id, m.path, m.alt from media m
  where m.store_id = ${storeId} and m.hash = any(${hashes}) and m.state = 'ready' and m.deleted_at is null`

export type ProductImages = { images: string[]; imageTexts: string[] }

export const readProductImages = (tx: Tx, storeId: StoreId, productId: string) => tx.maybeOne<ProductImages>`
  select images, image_texts as "imageTexts" from product where store_id = ${storeId} and id = ${productId}`

/** For a product that this transaction has locked. Counts one event. */
export const setProductImages = (tx: Tx, storeId: StoreId, productId: string, pictures: ProductImages) => tx.one<{
  sequence: number
}>`
  update product set images = ${pictures.images}, image_texts = ${pictures.imageTexts}, updated_at = vitrine_now(),
    event_count = event_count + 1
  where store_id = ${storeId} and id = ${productId}
  returning event_count as sequence`

export type PictureUse = { kind: 'product' | 'variant' | 'category' | 'logo'; id: string; name: string }

/** What shows this picture, by path or by URL: at most `limit` of each kind. */
export const listPictureUses = (db: Queries, storeId: StoreId, path: string, limit: number) => db.many<PictureUse>`
  (select 'product' as kind, p.id, p.name from product p
   where p.store_id = ${storeId} and media_paths(p.images) @> array[${path}::text] order by p.id limit ${limit})
  union all
  (select 'variant' as kind, v.id, concat_ws(' ', p.name, nullif(v.title, '')) as name from variant v
   join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = ${storeId} and media_path(v.image) = ${path} order by v.id limit ${limit})
  union all
  (select 'category' as kind, c.id, c.name from category c
   where c.store_id = ${storeId} and media_path(c.image) = ${path} order by c.id limit ${limit})
  union all
  (select 'logo' as kind, s.public_id as id, s.name from store s
   where s.id = ${storeId} and media_path(s.logo) = ${path})`
