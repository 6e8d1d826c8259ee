import type { Readable } from 'node:stream'

/** `storeId/name`. Both parts are made by us: letters, digits, `_`, `-` and `.`. */
export type FileKey = string

export type StoredFile = { stream: Readable; bytes: number }

/** Where pictures are kept. Every call has a time limit, and all of them can be repeated. */
export type FileStorage = {
  name: 'folder' | 'bucket'
  put(key: FileKey, bytes: Uint8Array, contentType: string): Promise<void>
  /** Undefined if there is no such file. The caller reads or destroys the stream. */
  open(key: FileKey): Promise<StoredFile | undefined>
  /** No error if there is no such file. */
  remove(key: FileKey): Promise<void>
}

/** Browsers and CDNs keep a file for a year: its name never has other content. */
export const immutableFor = 'public, max-age=31536000, immutable'
