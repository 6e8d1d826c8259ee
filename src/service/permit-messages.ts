/**
 * What a permit is for. Counts of keys are never dropped, those of clients are bounded in number. The permit of a lookup
 * comes back unless the lookup misses.
 */
export type PermitUse = 'key' | 'client' | 'lookup'

/** One id in one minute. */
export type PermitPlace = { use: PermitUse; id: string; window: number }

/** A worker asks for permits for calls that wait, and for some in advance. */
export type PermitAsk = PermitPlace & {
  ask: number
  limit: number
  /** Permits that the worker has, or that are in use and may come back. */
  held: number
  /** Calls that wait. Without any, the answer does not wait for other workers. */
  calls: number
  /** How many more it can use. */
  ahead: number
}

export type PermitAnswer = {
  ask: number
  granted: number
  /** Permits of this window that are used, as far as the main process knows, or with this worker. */
  total: number
  /** Calls of the ask that are refused. Those that are neither granted nor refused ask again. */
  refused: number
  /** Nothing is left of this limit, so further calls need not ask. */
  isFinal: boolean
  /** Permits that come back are returned at once, because others wait for them. */
  isScarce: boolean
}

/** Permits that a worker no longer holds: `returned` were not used. */
export type PermitReturn = PermitPlace & { returned: number; used: number; answersRecall: boolean }
