import type { CallOptions, SenderOptions } from './options.ts'
import type { HttpOperation } from './request.ts'

export type AdminClientOptions = SenderOptions & {
  /** The store that the token belongs to. */
  storeId: string
  /** A token for programs, which begins with `vat_`. It does not belong in a browser. */
  token: string
}

export type ChangeOptions = CallOptions & {
  /** The `etag` of an earlier answer. If the resource has changed since then, the call fails: `PRECONDITION_FAILED`. */
  ifMatch?: string | undefined
}

/** The ETag of the answer, for `ifMatch`. It is empty if a proxy removed it, and then matches nothing. */
export type WithEtag = { etag: string }

/** Beside the items of a page. */
export type Counted = {
  /** How many items match; 10,000 if there are more. */
  total: number
  totalIsExact: boolean
}

/** A `File` has a name. Plain bytes, such as a `Buffer`, get the name `blob`. */
export type FileToUpload = Blob | Uint8Array | ArrayBuffer

/** How an operation is sent. Flags are `true` or absent. */
export type AdminOperation = HttpOperation & {
  /** Answers `format: 'csv'` with text. */
  readonly csv?: true
  /** Takes a form with a file. */
  readonly file?: true
  /** Answers with text. */
  readonly text?: true
  /** Answers with an ETag. */
  readonly etag?: true
}
