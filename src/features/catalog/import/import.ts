import { basename } from 'node:path'
import { refuse } from '../../../core/domain-errors.ts'
import { Failure } from '../../../core/errors.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { commandLine, compareFields, recordChange } from '../../audit/record.ts'
import type { Store } from '../../context.ts'
import type { ProductPatch } from '../product-input.ts'
import { analyzeCatalog } from '../products.sql.ts'
import { countProduct, newSummary, planProducts, type SaveSummary, tryToSave } from '../save.ts'
import type { SaveMode } from '../save-mode.ts'
import { type Checked, createCheck } from './check.ts'
import { type ImportFormat, openImportFile, readRecords } from './formats.ts'
import { FileFault, locateFault, type ProductRecord, type RecordFault } from './records.ts'

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
  /** For tests. */
  batchSize?: number
}

export type ImportProgress = { phase: 'check' | 'write'; products: number; fraction: number }

export type ImportResult = SaveSummary & {
  format: ImportFormat
  /** Number of products in the file, valid or not. */
  products: number
  /** Number of products skipped because of faults. */
  skipped: number
  /** The first faults; `faultCount` is the number of all. */
  faults: RecordFault[]
  faultCount: number
  /** Unknown fields and columns of the file. */
  ignoredFields: string[]
  /** Values that were imported differently from the file, and in how many products. */
  notes: { text: string; products: number }[]
  outcome: 'done' | 'checked' | 'refused' | 'stopped'
}

const maxFaults = 10_000

/**
 * Reads a file twice: first to find all faults and changes, so that a file is imported completely or not at all, then to
 * save it in batches. Each batch is a short transaction. Products that are already saved are unchanged in the next run,
 * so an interrupted import is completed by running it again.
 */
export const importCatalog = async (db: Db, store: Store, request: ImportRequest): Promise<ImportResult> => {
  const file = openImportFile(request.path, request.format)
  const now = request.now ?? new Date()
  const by = request.by ?? commandLine
  const mode = { replace: request.replace === true, setStock: request.setStock === true, by }
  const report = (phase: ImportProgress['phase'], products: number, bytes: number) =>
    request.onProgress?.({ phase, products, fraction: file.bytes === 0 ? 1 : bytes / file.bytes })

  const checked = await checkFile()
  const result = (outcome: ImportResult['outcome'], summary: SaveSummary, skipped = 0): ImportResult => {
    const { products, faults, faultCount, ignoredFields, notes } = checked
    return { ...summary, format: file.format, products, skipped, faults, faultCount, ignoredFields, notes, outcome }
  }
  if (checked.stopped) return result('stopped', newSummary())
  if (checked.unreadable || (checked.faultCount > 0 && !request.skipBad)) return result('refused', newSummary())
  if (request.dryRun) return result('checked', checked.planned, checked.bad)
  // Nothing to write, so the second pass is not needed.
  if (checked.planned.created + checked.planned.updated === 0) return result('done', checked.planned, checked.bad)
  const { stopped, skipped, saved } = await writeFile()
  return result(stopped ? 'stopped' : 'done', saved, skipped)

  async function checkFile() {
    const { check, ignoredFields, notes } = createCheck(store, unitOf(file.format))
    const faults: RecordFault[] = []
    const planned = newSummary()
    const found = { products: 0, bad: 0, faultCount: 0, unreadable: false, stopped: false }
    let bytes = 0
    const keep = (fault: RecordFault) => {
      found.faultCount++
      if (faults.length < maxFaults) faults.push(fault)
    }
    /** Reports faults in the order of the file, whichever step finds them. */
    const judge = async (records: readonly ReadRecord[]) => {
      const patches = records.flatMap(({ outcome }) => ('patch' in outcome ? [outcome.patch] : []))
      const plans = (await planProducts(db, store, patches, mode)).values()
      for (const { record, outcome } of records) {
        const plan = 'patch' in outcome ? plans.next().value : undefined
        if (plan !== undefined && !('faults' in plan)) {
          countProduct(planned, plan)
          continue
        }
        found.bad++
        if ('faults' in outcome) outcome.faults.forEach(keep)
        for (const fault of plan?.faults ?? []) keep(locateFault(record, fault))
      }
    }
    let batch = newBatch<ReadRecord>()
    try {
      for await (const record of readRecords(file, now, (read) => (bytes = read))) {
        if (request.signal?.aborted) break
        const outcome = check(record)
        found.products++
        addToBatch(batch, { record, outcome }, 'patch' in outcome ? outcome.patch : undefined)
        if (isFull(batch, request.batchSize)) {
          await judge(batch.items)
          batch = newBatch()
        }
        report('check', found.products, bytes)
      }
      await judge(batch.items)
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      await judge(batch.items)
      keep({ line: error.line, field: 'file', message: error.message })
      found.unreadable = true
    }
    const stopped = request.signal?.aborted === true
    return { ...found, stopped, planned, faults, ignoredFields: ignoredFields(), notes: notes() }
  }

  async function writeFile() {
    const { check } = createCheck(store, unitOf(file.format))
    const saved = newSummary()
    let batch = newBatch<ProductPatch>()
    let writing: Promise<void> = Promise.resolve()
    let [skipped, written, bytes] = [0, 0, 0]
    const write = async (patches: readonly ProductPatch[]) => {
      const { summary, bad } = await saveBatch(patches, saved)
      const createdBefore = saved.created
      addSummary(saved, summary)
      skipped += bad
      if (analyzeAfter.some((n) => createdBefore < n && saved.created >= n)) await updateStatistics(db)
      written += patches.length
      report('write', written, bytes)
    }
    /** Reads one batch ahead while the last one is being written. */
    const flush = async () => {
      await writing
      const { items } = batch
      batch = newBatch()
      writing = request.signal?.aborted || items.length === 0 ? Promise.resolve() : write(items)
      // Awaited at the next batch. Until then a failure must not be an unhandled rejection.
      writing.catch(() => {})
    }
    try {
      for await (const record of readRecords(file, now, (read) => (bytes = read))) {
        if (request.signal?.aborted) break
        const outcome = check(record)
        if ('patch' in outcome) addToBatch(batch, outcome.patch, outcome.patch)
        else if (request.skipBad) skipped++
        else throw refuse('IMPORT_FILE_CHANGED', { path: request.path })
        if (isFull(batch, request.batchSize)) await flush()
      }
      await flush()
      await writing
      if (saved.created >= (analyzeAfter[0] ?? 0)) await updateStatistics(db)
    } catch (error) {
      await writing.catch(() => {})
      throw error instanceof FileFault ? refuse('IMPORT_FILE_CHANGED', { path: request.path }) : error
    }
    const isWhole = saved.created + saved.updated + saved.unchanged + skipped >= checked.products
    return { saved, skipped, stopped: request.signal?.aborted === true && !isWhole }
  }

  /** One entry for each batch, because a batch is a transaction. */
  function noteImport(tx: Tx, { created, updated, changes }: SaveSummary) {
    if (created + updated === 0) return
    recordChange(tx, store, by, {
      ...{ action: 'catalog.imported', id: store.publicId },
      changes: compareFields({}, { file: basename(request.path), created, updated, fields: changes }),
    })
  }

  async function saveBatch(patches: readonly ProductPatch[], soFar: SaveSummary) {
    try {
      return await db.tx(async (tx) => {
        const { summary, plans } = await tryToSave(tx, store, patches, mode)
        const bad = plans.filter((plan) => 'faults' in plan).length
        // The product was valid in the first pass, so the store has changed since.
        if (bad > 0 && !request.skipBad) throw refuse('IMPORT_STORE_CHANGED', { path: request.path })
        noteImport(tx, summary)
        return { summary, bad }
      })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const saved = soFar.created + soFar.updated + soFar.unchanged
      throw refuse('IMPORT_INTERRUPTED', { saved }, { cause: error })
    }
  }
}

type ReadRecord = { record: ProductRecord; outcome: Checked }

const addSummary = (sum: SaveSummary, { created, updated, unchanged, changes, stockKept }: SaveSummary) => {
  sum.created += created
  sum.updated += updated
  sum.unchanged += unchanged
  sum.stockKept += stockKept
  for (const [field, n] of Object.entries(changes)) sum.changes[field] = (sum.changes[field] ?? 0) + n
}

/** The unit of the position in a fault. */
export const unitOf = (format: ImportFormat) => (format === 'json' ? 'element' : 'line')

/** Numbers of new products after which the planner statistics are updated; also once at the end. */
const analyzeAfter = [1_000, 20_000]

/** Only an optimisation, so errors are ignored. */
const updateStatistics = (db: Db) => analyzeCatalog(db).catch(() => {})

/** Keeps each batch a short transaction with a small message, whatever the products look like. */
const batchLimits = { products: 250, variants: 2_000, characters: 2_000_000 }

type Batch<Item> = { items: Item[]; variants: number; characters: number }

const newBatch = <Item>(): Batch<Item> => ({ items: [], variants: 0, characters: 0 })

const addToBatch = <Item>(batch: Batch<Item>, item: Item, patch: ProductPatch | undefined) => {
  batch.items.push(item)
  batch.variants += patch?.variants?.length ?? 1
  batch.characters += patch?.description?.length ?? 0
}

const isFull = <Item>({ items, variants, characters }: Batch<Item>, size = batchLimits.products) =>
  items.length >= size || variants >= batchLimits.variants || characters >= batchLimits.characters
