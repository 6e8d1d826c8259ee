import type { VitrineError } from './errors.ts'
import type { ClientStorage } from './storage.ts'
import type { MergeResult } from './types.ts'

/** The options of every client. */
export type SenderOptions = {
  /** The URL of the service, such as `https://api.example.com`. */
  url: string
  /** A replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** How often a failed call is retried, when that is safe. Default: 2. */
  retries?: number | undefined
  /** The time limit of one attempt; `Infinity` for none. Default: 30 000. */
  timeoutMs?: number | undefined
  /** A call is not retried when `Retry-After` is longer than this. Default: 60. */
  maxRetryAfterSeconds?: number | undefined
  /** Sent with every call. */
  headers?: Record<string, string> | undefined
  /** Waits between two attempts. Tests can replace it. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
}

export type ClientOptions = SenderOptions & {
  /** The store key: a browser key (`vpk_…`) in a browser, a server key on a server. */
  storeKey: string
  /** Where the session and the guest token are stored. Default: in memory, for the lifetime of the client. */
  storage?: ClientStorage | undefined
  /** The outlet whose prices and stock are used. Default: the default outlet of the store. */
  outletId?: string | undefined
  /** Called when the service rejects the session, which the client then drops. */
  onSignedOut?: (() => void) | undefined
}

export type CallOptions = {
  /** Ends the call, and any wait between attempts, with the code `ABORTED`. */
  signal?: AbortSignal | undefined
  /** For calls that create something. Default: a new key for each call. Set one to repeat a call safely later. */
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
  /** How many items were moved; null without a guest, or when the service does not know the guest. */
  merged: MergeResult['merged'] | null
  /** The error of the merge; the sign-in itself has succeeded. The guest stays, so `mergeGuestData` can be repeated. */
  mergeError: VitrineError | null
}

/** The URL of a file to download. */
export type Redirect = { location: string }

/** The session of a signed-in customer. */
export type Session = { token: string; customerId: string; expiresAt: string }
