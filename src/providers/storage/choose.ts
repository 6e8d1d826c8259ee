import { type BucketSettings, createBucketStorage } from './bucket.ts'
import { createFolderStorage, mediaFolderIn } from './folder.ts'
import type { FileStorage } from './storage.ts'

export type MediaSettings = { bucket: BucketSettings | null }

/** The storage of this instance. Takes the `Config`. */
export const chooseStorage = ({ dataDir, media }: { dataDir: string; media: Readonly<MediaSettings> }): FileStorage =>
  media.bucket === null ? createFolderStorage(mediaFolderIn(dataDir)) : createBucketStorage(media.bucket)
