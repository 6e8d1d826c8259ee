import type { VitrineError } from './errors.ts'
import type { ClientStorage } from './storage.ts'
import type { MergeResult } from './types.ts'

export type ClientOptions = {
  /** Where the service is, such as `https://api.example.com`. */
  url: string
  /** A key of the store: a browser key (`vpk_…`) in a page, a server key on a server. */
  storeKey: string
  /** Where the session and the guest token are kept. Default: in memory, so they last as long as the client. */
  storage?: ClientStorage | undefined
  /** The outlet whose prices and stock count. Default: the default outlet of the store. */
  outletId?: string | undefined
  /** In place of the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch | undefined
  /** How often a call that failed is sent again, where that is safe. Default: 2. */
  retries?: number | undefined
  /** How long one try may take; `Infinity` for as long as it takes. Default: 30 000. */
  timeoutMs?: number | undefined
  /** A call is not sent again when the service asks to wait longer than this. Default: 60. */
  maxRetryAfterSeconds?: number | undefined
  /** Sent with every call. */
  headers?: Record<string, string> | undefined
  /** Called when the service no longer knows the session, which is dropped then. */
  onSignedOut?: (() => void) | undefined
  /** How to wait between two tries; tests put their own here. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
}

export type CallOptions = {
  /** Ends the call, and any wait for another try, with the code `ABORTED`. */
  signal?: AbortSignal | undefined
  /** For calls that create something. The client makes a key by itself; give one to repeat a call later. */
  idempotencyKey?: string | undefined
  headers?: Record<string, string> | undefined
  timeoutMs?: number | undefined
}

export type SignInOptions = CallOptions & {
  /** Moves the cart and the wishlist of the guest to the customer right after signing in. */
  merge?: boolean | undefined
}

/** What a sign-in with `merge` adds to its answer. */
export type Merged = {
  /** How much moved; null when there was no guest, or nothing of one that could be moved. */
  merged: MergeResult['merged'] | null
  /** Why moving failed although signing in went well. The guest is kept, so `mergeGuestData` can be tried again. */
  mergeError: VitrineError | null
}

/** Where a file can be fetched. */
export type Redirect = { location: string }

/** What signing in left behind. */
export type Session = { token: string; customerId: string; expiresAt: string }
