import { mediaPrefix, mediaSizesOf, readMediaPath } from '../../core/media-path.ts'
import type { Db } from '../../db/database.ts'
import type { FileKey, FileStorage } from '../../providers/storage/storage.ts'
import { listPictureUses } from '../catalog/product-media.sql.ts'
import type { StoreId } from '../context.ts'
import * as sql from './collect.sql.ts'
import { lockMedium, subtractFromTotal } from './media.sql.ts'

export type ClaimedPicture = sql.ClaimedMedium & { storeId: StoreId }

/**
 * Removes a picture that nothing shows: neither the catalog nor the logo, and no order. The row is marked before the
 * files go and deleted after them, so a run that was interrupted at any point is completed by the next.
 */
export const collectPicture = async (
  db: Db,
  storage: FileStorage,
  { storeId, id, claimedUntil }: ClaimedPicture,
  signal: AbortSignal,
): Promise<void> => {
  const path = await db.tx(async (tx) => {
    const medium = await lockMedium(tx, storeId, id)
    // Another instance has claimed it, or an upload of the same file has brought it back.
    if (medium === undefined || claimedUntil === null) return null
    if (medium.checkAt?.getTime() !== claimedUntil.getTime()) return null
    const isNeeded =
      medium.state === 'ready' &&
      ((await listPictureUses(tx, storeId, medium.path, 1)).length > 0 || (await sql.isSold(tx, storeId, medium.path)))
    if (isNeeded) await sql.keepMedium(tx, storeId, id)
    else await sql.beginRemoval(tx, storeId, id)
    return isNeeded ? null : medium.path
  })
  if (path === null) return
  for (const key of keysOf(path)) {
    // After the time limit another instance may have finished, and the file may be there again.
    signal.throwIfAborted()
    await storage.remove(key)
  }
  await db.tx(async (tx) => {
    const deleted = await sql.deleteMedium(tx, storeId, id)
    if (deleted !== undefined) await subtractFromTotal(tx, storeId, deleted.bytes)
  })
}

/** The files of a picture: the original and its sizes. */
export const keysOf = (path: string): FileKey[] => {
  const picture = readMediaPath(path)
  if (picture === null) throw new Error(`${path} is not the path of a picture`)
  return [path, ...mediaSizesOf(picture).map((size) => size.path)].map(keyOf)
}

export const keyOf = (path: string): FileKey => path.slice(mediaPrefix.length)
