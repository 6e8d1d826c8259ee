import { setTimeout } from 'node:timers/promises'
import type { Db, Tx } from '../../../db/database.ts'
import type { Author, Store } from '../../context.ts'
import type { ProductPatch } from '../product-input.ts'
import { newSummary, type SaveSummary } from '../save.ts'
import type { SaveMode } from '../save-mode.ts'
import type { ImportFile } from './formats.ts'
import type { RecordFault } from './records.ts'
import type { ImportFormat } from './transfer.admin.contract.ts'

export type ImportRequest = Partial<Omit<SaveMode, 'cause'>> & {
  path: string
  format?: ImportFormat | undefined
  /** Skips products with faults instead of refusing the file. */
  skipBad?: boolean
  /** Reports what would change without writing. */
  dryRun?: boolean
  /** Stops after the current batch. */
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** The time that decides which sales in the file are active. Default: now. */
  now?: Date
  /** Shown in the audit log. Default: the file name in `path`. */
  fileName?: string
  /** Leaves time for shoppers: small batches, and after each one a rest as long as the batch took. */
  isGentle?: boolean
  /** Faults that are kept. All are counted. */
  maxFaults?: number
  /** What an earlier call passed to `save` last. The import goes on there. */
  state?: ImportState
  /** Called after each batch: with its transaction if it was written, without one if it was only checked. */
  save?: (state: ImportState, tx?: Tx) => Promise<void>
  /** For tests. */
  batchSize?: number
}

export type ImportProgress = { phase: 'check' | 'write'; products: number; fraction: number }

/** The progress of both passes. */
export type ImportState = { check: CheckState; write: WriteState }

export type CheckState = {
  /** Number of products that were checked, valid or not. */
  products: number
  bad: number
  faults: RecordFault[]
  faultCount: number
  /** What writing the file would do. */
  planned: SaveSummary
  ignoredFields: string[]
  notes: ImportNote[]
  isComplete: boolean
  /** The rest of the file cannot be read. */
  unreadable: boolean
}

/** A value that was imported differently from the file, and in how many products. */
export type ImportNote = { text: string; products: number }

export type WriteState = { products: number; skipped: number; saved: SaveSummary }

export const newImportState = (): ImportState => ({
  check: {
    ...{ products: 0, bad: 0, faults: [], faultCount: 0, planned: newSummary(), ignoredFields: [], notes: [] },
    ...{ isComplete: false, unreadable: false },
  },
  write: { products: 0, skipped: 0, saved: newSummary() },
})

/** What both passes need. */
export type ImportRun = {
  db: Db
  store: Store
  file: ImportFile
  request: ImportRequest
  now: Date
  by: Author
  mode: SaveMode
  state: ImportState
  report(phase: ImportProgress['phase'], products: number, bytes: number): void
}

/** Keeps each batch a short transaction with a small message, whatever the products look like. */
const batchLimits = { products: 250, variants: 2_000, characters: 2_000_000 }

const gentleBatchSize = 25

export type Batch<Item> = { items: Item[]; records: number; bad: number; variants: number; characters: number }

export const newBatch = <Item>(): Batch<Item> => ({ items: [], records: 0, bad: 0, variants: 0, characters: 0 })

export const addToBatch = <Item>(batch: Batch<Item>, item: Item, patch: ProductPatch | undefined) => {
  batch.items.push(item)
  batch.records++
  batch.variants += patch?.variants?.length ?? 1
  batch.characters += patch?.description?.length ?? 0
}

export const isFull = <Item>({ records, variants, characters }: Batch<Item>, request: ImportRequest) =>
  records >= (request.batchSize ?? (request.isGentle ? gentleBatchSize : batchLimits.products)) ||
  variants >= batchLimits.variants ||
  characters >= batchLimits.characters

/** Runs a batch, and in a gentle import rests as long as it took. */
export const runBatch = async (request: ImportRequest, work: () => Promise<void>) => {
  const startedAt = performance.now()
  await work()
  if (request.isGentle) await setTimeout(performance.now() - startedAt)
}
