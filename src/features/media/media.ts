import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { seconds } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { createFairQueue } from '../../core/fair-queue.ts'
import { newId } from '../../core/ids.ts'
import { mediaPathOf, mediaSizesOf, mediaTypes, readMediaPath } from '../../core/media-path.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Db, Queries, Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import { listPictureUses } from '../catalog/product-media.sql.ts'
import { appendProductMedia } from '../catalog/product-media.ts'
import { lockProducts } from '../catalog/products.sql.ts'
import type { Author, Media, Store } from '../context.ts'
import { keyOf } from './collect.ts'
import { maxUploadBytes } from './media.admin.contract.ts'
import * as sql from './media.sql.ts'
import { type ProcessedImage, processImage } from './process-image.ts'

type MediaStore = Pick<Store, 'id' | 'publicId'>
export type UploadCtx = { db: Db; store: MediaStore; media: Media; by: Author }
export type PictureFile = { path: string; bytes: number; name: string }

/** One picture at a time: decoding takes a core and up to 250 MB. */
export const createImageQueue = () => createFairQueue({ maxRunning: 1, maxWaiting: 40, maxWaitMs: seconds(20) })

export type StoredPicture = { id: string; hash: string }

/**
 * Stores the files of a picture. It is shown after `finishUpload`; without that a job removes it. The same file again is
 * recognised by its content and stored once.
 */
export const storePicture = async (ctx: UploadCtx, file: PictureFile): Promise<StoredPicture> => {
  if (file.bytes > maxUploadBytes) throw refuse('PICTURE_FILE_TOO_LARGE', { maxBytes: maxUploadBytes })
  const hash = await hashFile(file.path)
  const known = await sql.findMediumByHash(ctx.db, ctx.store.id, hash)
  if (known?.state === 'ready') return { id: known.id, hash }
  const image = await ctx.media.runInTurn({ storeId: ctx.store.id, client: ctx.by.actor.id }, async () =>
    processImage(await readFile(file.path)),
  )
  const { id, path } = await reserve(ctx, { hash, name: file.name, image })
  await putFiles(ctx, path, image)
  return { id, hash }
}

const hashFile = async (path: string) => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex').slice(0, 32)
}

/** The row comes before the files, so that a job finds and removes what an interrupted upload has left. */
const reserve = (
  { db, store, media }: UploadCtx,
  { hash, name, image }: { hash: string; name: string; image: ProcessedImage },
): Promise<{ id: string; path: string }> =>
  db.tx(async (tx) => {
    const { width, height, extension, animated } = image
    const path = mediaPathOf({ storeId: store.publicId, hash, width, height, extension })
    const bytes = [image.original, ...image.sizes.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    const id = newId('med')
    const medium = { id, hash, path, name: name.slice(0, 200), width, height, animated, bytes }
    if ((await sql.insertMedium(tx, store.id, medium)) === 1) {
      const { storeLimitBytes: maxBytes } = media
      if ((await sql.addToTotal(tx, store.id, bytes, maxBytes)) === 0) throw refuse('MEDIA_LIMIT_REACHED', { maxBytes })
      return { id, path }
    }
    // The same file at the same time: both write it, with the same content.
    const known = await sql.findMediumByHash(tx, store.id, hash)
    if (known === undefined || known.state === 'removing') throw refuse('MEDIA_BEING_REMOVED', {})
    return known
  })

const putFiles = async ({ media: { storage } }: UploadCtx, path: string, image: ProcessedImage) => {
  const { extension, original, sizes } = image
  try {
    for (const size of mediaSizesOf(mustExist(readMediaPath(path), 'the path of a picture'))) {
      await storage.put(keyOf(size.path), mustExist(sizes.get(size.width), 'a size of a picture'), mediaTypes.webp)
    }
    await storage.put(keyOf(path), original, mediaTypes[extension])
  } catch (error) {
    throw refuse('MEDIA_STORAGE_FAILED', {}, { cause: error })
  }
}

export type UploadFields = { alt?: string | undefined; productId?: string | undefined }

/** Shows a stored picture, and adds it to a product. `isNew` is false if the store had the file already. */
export const finishUpload = async (
  tx: Tx,
  { store, by }: Pick<UploadCtx, 'store' | 'by'>,
  id: string,
  { alt, productId }: UploadFields,
): Promise<{ medium: sql.MediumRow; isNew: boolean }> => {
  // The product is locked before the picture, as by every writer.
  if (productId !== undefined) await lockProducts(tx, store.id, [productId])
  const before = await sql.lockMedium(tx, store.id, id)
  const medium = await sql.readyMedium(tx, store.id, id, alt ?? null)
  if (before === undefined || medium === undefined) throw refuse('MEDIA_BEING_REMOVED', {})
  const isNew = before.state === 'writing' || before.deletedAt !== null
  const changes = compareFields(isNew ? {} : { alt: before.alt }, {
    ...(isNew ? describe(medium) : { alt: medium.alt }),
  })
  if (Object.keys(changes).length > 0) {
    recordChange(tx, store, by, { action: isNew ? 'media.created' : 'media.updated', id, changes })
  }
  if (productId !== undefined) {
    const images = await appendProductMedia(tx, store, productId, { id, alt })
    if (images.before !== images.after) {
      const added = compareFields({ images: images.before }, { images: images.after })
      recordChange(tx, store, by, { action: 'product.updated', id: productId, changes: added })
    }
  }
  return { medium, isNew }
}

const describe = ({ path, name, alt }: sql.MediumRow) => ({ path, name, alt })

export const readPicture = async (db: Queries, store: MediaStore, mediaId: string): Promise<sql.MediumRow> => {
  const medium = await sql.readMedium(db, store.id, mediaId)
  if (medium === undefined) throw refuse('MEDIA_NOT_FOUND', { mediaId })
  return medium
}

/** `check` sees the picture as it is before the change. */
export const changePicture = async (
  tx: Tx,
  { store, by }: Pick<UploadCtx, 'store' | 'by'>,
  mediaId: string,
  { alt }: { alt?: string | undefined },
  check: (before: sql.MediumRow) => void,
): Promise<sql.MediumRow> => {
  await sql.lockMedium(tx, store.id, mediaId)
  const before = await readPicture(tx, store, mediaId)
  check(before)
  if (alt === undefined || alt === before.alt) return before
  const after = await sql.setAlt(tx, store.id, mediaId, alt)
  const changes = compareFields({ alt: before.alt }, { alt })
  recordChange(tx, store, by, { action: 'media.updated', id: mediaId, changes })
  return after
}

/** Refused while the catalog or the logo shows it. Orders keep the picture of what was bought. */
export const deletePicture = async (
  tx: Tx,
  { store, by }: Pick<UploadCtx, 'store' | 'by'>,
  mediaId: string,
): Promise<void> => {
  await sql.lockMedium(tx, store.id, mediaId)
  // After the lock, so that it sees what was committed during the wait.
  const medium = await readPicture(tx, store, mediaId)
  const uses = await listPictureUses(tx, store.id, medium.path, 3)
  if (uses.length > 0) {
    const users = uses.map(({ kind, name }) => (kind === 'logo' ? 'the logo of the store' : `the ${kind} ${name}`))
    throw refuse('MEDIA_IN_USE', { mediaId, users })
  }
  await sql.hideMedium(tx, store.id, mediaId)
  recordChange(tx, store, by, { action: 'media.deleted', id: mediaId, changes: compareFields(describe(medium), {}) })
}
