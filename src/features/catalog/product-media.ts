import { refuse } from '../../core/domain-errors.ts'
import { readMediaPath } from '../../core/media-path.ts'
import { mustExist } from '../../core/must-exist.ts'
import { announceCatalog } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { recordProductEvents } from './product-events.ts'
import * as sql from './product-media.sql.ts'
import { lockProducts } from './products.sql.ts'
import { type ImageUrls, showPicture, withoutOrigin } from './show-image.ts'

const maxPictures = 250

type MediaStore = Pick<Store, 'id'>

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
  const { path, alt } = mustExist((await usePictures(tx, store, [picture.id])).get(picture.id), 'a picture')
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

/** The uploaded pictures with these ids. A product is locked before them. Until the commit, none of them is deleted. */
export const usePictures = async (tx: Tx, store: MediaStore, ids: readonly string[]) => {
  const found = ids.length === 0 ? [] : await sql.lockPictures(tx, store.id, ids)
  const known = new Map(found.map((picture) => [picture.id, picture]))
  for (const mediaId of ids) if (!known.has(mediaId)) throw refuse('MEDIA_UNKNOWN', { mediaId })
  return known
}

type Pictures = ReadonlyMap<string, sql.UsablePicture>
type ImageInput = string | { url: string; alt?: string }

/** The image of a variant or category: an address, or an uploaded picture. Null clears it. Undefined if neither is given. */
export const chooseImage = (
  urls: ImageUrls,
  pictures: Pictures,
  { image, mediaId }: { image: string | null | undefined; mediaId: string | null | undefined },
): string | null | undefined => {
  if (mediaId === undefined) return image == null ? image : withoutOrigin(urls, image)
  if (image !== undefined) throw refuse('IMAGE_UNCLEAR', { image: 'image', media: 'mediaId' })
  return mediaId === null ? null : mustExist(pictures.get(mediaId), 'a picture').path
}

/** The images of a product. A picture without a text has its own, and is shown once. */
export const chooseImages = (
  urls: ImageUrls,
  pictures: Pictures,
  { images, media }: { images: ImageInput[] | undefined; media: { id: string; alt?: string }[] | undefined },
): ImageInput[] | undefined => {
  if (media === undefined) {
    return images?.map((image) =>
      typeof image === 'string' ? withoutOrigin(urls, image) : { ...image, url: withoutOrigin(urls, image.url) },
    )
  }
  if (images !== undefined) throw refuse('IMAGE_UNCLEAR', { image: 'images', media: 'media' })
  const textsByPath = new Map<string, string>()
  for (const { id, alt } of media) {
    const picture = mustExist(pictures.get(id), 'a picture')
    if (!textsByPath.has(picture.path)) textsByPath.set(picture.path, alt ?? picture.alt)
  }
  return [...textsByPath].map(([url, alt]) => ({ url, alt }))
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
