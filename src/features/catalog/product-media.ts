import { refuse } from '../../core/domain-errors.ts'
import { readMediaPath } from '../../core/media-path.ts'
import { mustExist } from '../../core/must-exist.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { recordProductEvents } from './product-events.ts'
import * as sql from './product-media.sql.ts'
import { lockProducts } from './products.sql.ts'
import { type ImageUrls, showPicture } from './show-image.ts'

const maxPictures = 250

/** An uploaded picture by its id, or an image elsewhere by its URL. Without a text, the picture's own is used. */
export type PictureInput = { alt?: string | undefined } & ({ id: string } | { url: string })

type MediaStore = Pick<Store, 'id'>

/** Replaces the pictures of a product, in this order. Locks the product, then the pictures. */
export const setProductMedia = async (
  tx: Tx,
  store: MediaStore,
  productId: string,
  pictures: readonly PictureInput[],
): Promise<void> => {
  if (pictures.length > maxPictures) throw refuse('PRODUCT_MEDIA_LIMIT', { max: maxPictures })
  await lockProducts(tx, store.id, [productId])
  const before = await sql.readProductImages(tx, store.id, productId)
  if (before === undefined) throw refuse('PRODUCT_NOT_FOUND', { product: productId })
  const textsByImage = new Map<string, string>()
  const known = await findPictures(
    tx,
    store,
    pictures.flatMap((picture) => ('id' in picture ? [picture.id] : [])),
  )
  for (const picture of pictures) {
    const found = 'id' in picture ? mustExist(known.get(picture.id), 'a picture') : { path: picture.url, alt: '' }
    if (!textsByImage.has(found.path)) textsByImage.set(found.path, picture.alt ?? found.alt)
  }
  await writeImages(tx, store, productId, before, [...textsByImage])
}

/** Adds a picture behind the others. Nothing changes if the product has it already. */
export const appendProductMedia = async (
  tx: Tx,
  store: MediaStore,
  productId: string,
  picture: { id: string; alt?: string | undefined },
): Promise<{ before: string[]; after: string[] }> => {
  await lockProducts(tx, store.id, [productId])
  const product = await sql.readProductImages(tx, store.id, productId)
  if (product === undefined) throw refuse('PRODUCT_NOT_FOUND', { product: productId })
  const { path, alt } = mustExist((await findPictures(tx, store, [picture.id])).get(picture.id), 'a picture')
  const { images, imageTexts } = product
  if (images.includes(path)) return { before: images, after: images }
  if (images.length >= maxPictures) throw refuse('PRODUCT_MEDIA_LIMIT', { max: maxPictures })
  const texts = images.map((image, i): [string, string] => [image, imageTexts[i] ?? ''])
  await writeImages(tx, store, productId, product, [...texts, [path, picture.alt ?? alt]])
  return { before: images, after: [...images, path] }
}

const writeImages = async (
  tx: Tx,
  store: MediaStore,
  productId: string,
  before: sql.ProductImages,
  pictures: readonly (readonly [image: string, text: string])[],
) => {
  const images = pictures.map(([image]) => image)
  // No texts at all are stored as an empty array.
  const imageTexts = pictures.some(([, text]) => text !== '') ? pictures.map(([, text]) => text) : []
  if (JSON.stringify({ images, imageTexts }) === JSON.stringify(before)) return
  const { sequence } = await sql.setProductImages(tx, store.id, productId, { images, imageTexts })
  recordProductEvents(tx, store, [{ id: productId, type: 'product.updated', sequence }])
  await announceCatalog(tx, store.id)
}

/** Null removes the picture of the variant. */
export const setVariantMedia = async (tx: Tx, store: MediaStore, variantId: string, mediaId: string | null) => {
  const variant = await sql.findVariantProduct(tx, store.id, variantId)
  if (variant === undefined) throw refuse('VARIANT_NOT_FOUND', { variant: variantId, product: null })
  await lockProducts(tx, store.id, [variant.productId])
  if ((await sql.setVariantImage(tx, store.id, variantId, await pathOf(tx, store, mediaId))) === 0) return
  const { sequence } = await sql.countProductEvent(tx, store.id, variant.productId)
  recordProductEvents(tx, store, [{ id: variant.productId, type: 'product.updated', sequence }])
  await announceCatalog(tx, store.id)
}

/** Null removes the picture of the category. False if the store has no such category. */
export const setCategoryMedia = async (
  tx: Tx,
  store: MediaStore,
  categoryId: string,
  mediaId: string | null,
): Promise<boolean> => {
  const changed = await sql.setCategoryImage(tx, store.id, categoryId, await pathOf(tx, store, mediaId))
  await announceCatalog(tx, store.id)
  return changed > 0
}

const pathOf = async (tx: Tx, store: MediaStore, mediaId: string | null) =>
  mediaId === null ? '' : mustExist((await findPictures(tx, store, [mediaId])).get(mediaId), 'a picture').path

const findPictures = async (tx: Tx, store: MediaStore, ids: readonly string[]) => {
  const found = ids.length === 0 ? [] : await sql.lockPictures(tx, store.id, ids)
  const known = new Map(found.map((picture) => [picture.id, picture]))
  for (const mediaId of ids) if (!known.has(mediaId)) throw refuse('MEDIA_NOT_FOUND', { mediaId })
  return known
}

/** The ids of uploaded pictures by their path. Images elsewhere have none. */
export const findMediaIds = async (
  db: Queries,
  store: MediaStore,
  images: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const hashes = [...new Set(images.flatMap((image) => readMediaPath(image)?.hash ?? []))]
  const found = hashes.length === 0 ? [] : await sql.listPicturesByHash(db, store.id, hashes)
  return new Map(found.map(({ path, id }) => [path, id]))
}

/** A product's pictures as the admin API shows them. `ids` come from `findMediaIds`. */
export const showPictures = (
  urls: ImageUrls,
  { images, imageTexts }: sql.ProductImages,
  ids: ReadonlyMap<string, string>,
) => images.map((image, i) => ({ id: ids.get(image) ?? null, ...showPicture(urls, image, imageTexts[i] ?? '') }))
