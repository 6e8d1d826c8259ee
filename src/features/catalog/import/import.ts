import { Failure } from '../../../core/errors.ts'
import { OperatorError } from '../../../core/operator-error.ts'
import type { Db } from '../../../db/database.ts'
import type { Store } from '../../context.ts'
import type { ProductInput } from '../product-input.ts'
import { analyzeCatalog } from '../products.sql.ts'
import { type SaveCounts, saveProducts } from '../products.ts'
import { createCheck } from './check.ts'
import { type ImportFormat, openImportFile, readRecords } from './formats.ts'
import { type Fault, FileFault } from './records.ts'

export type ImportRequest = {
  path: string
  format?: ImportFormat | undefined
  /** Leaves out products with faults instead of refusing the file. */
  skipBad?: boolean
  /** Only checks. */
  dryRun?: boolean
  /** Stops after the batch under way. */
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** Tests make it small. */
  batchSize?: number
}

export type ImportProgress = { phase: 'check' | 'write'; products: number; fraction: number }

export type ImportResult = SaveCounts & {
  format: ImportFormat
  /** What the file holds, good and bad. */
  products: number
  /** Products with faults that were left out. */
  skipped: number
  /** The first of them; `faultCount` counts all. */
  faults: Fault[]
  faultCount: number
  /** Names that products have in this file and that mean nothing here. */
  ignoredFields: string[]
  outcome: 'done' | 'checked' | 'refused' | 'stopped'
}

const mostFaultsKept = 10_000

/**
 * Reads a file twice: once to find every fault, so that a file is taken whole or not at all, and once to save it in
 * batches. Each batch is a transaction, so shoppers never wait long, and products already saved are equal the next
 * time: an import that was interrupted is finished by running it again.
 */
export const importCatalog = async (db: Db, store: Store, request: ImportRequest): Promise<ImportResult> => {
  const file = openImportFile(request.path, request.format)
  const report = (phase: ImportProgress['phase'], products: number, bytes: number) =>
    request.onProgress?.({ phase, products, fraction: file.bytes === 0 ? 1 : bytes / file.bytes })
  const saved: SaveCounts = { created: 0, updated: 0, unchanged: 0 }

  const checked = await checkFile()
  const result = (outcome: ImportResult['outcome'], skipped = 0): ImportResult => ({
    ...{ ...saved, format: file.format, products: checked.products, skipped, faults: checked.faults },
    ...{ faultCount: checked.faultCount, ignoredFields: checked.ignoredFields, outcome },
  })
  if (checked.stopped) return result('stopped')
  if (checked.unreadable || (checked.faultCount > 0 && !request.skipBad)) return result('refused')
  if (request.dryRun) return result('checked', checked.bad)
  const { stopped, skipped } = await writeFile()
  return result(stopped ? 'stopped' : 'done', skipped)

  async function checkFile() {
    const { check, ignoredFields } = createCheck(store, unitOf(file.format))
    const faults: Fault[] = []
    const found = { products: 0, bad: 0, faultCount: 0, unreadable: false, stopped: false }
    let bytes = 0
    const keep = (fault: Fault) => {
      found.faultCount++
      if (faults.length < mostFaultsKept) faults.push(fault)
    }
    try {
      for await (const record of readRecords(file, (read) => (bytes = read))) {
        if (request.signal?.aborted) return { ...found, faults, ignoredFields: ignoredFields(), stopped: true }
        const outcome = check(record)
        found.products++
        if ('faults' in outcome) {
          found.bad++
          outcome.faults.forEach(keep)
        }
        report('check', found.products, bytes)
      }
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      keep({ line: error.line, field: 'file', message: error.message })
      found.unreadable = true
    }
    return { ...found, faults, ignoredFields: ignoredFields() }
  }

  async function writeFile() {
    const { check } = createCheck(store, unitOf(file.format))
    let batch = newBatch()
    let writing: Promise<void> = Promise.resolve()
    let [skipped, written, bytes] = [0, 0, 0]
    const write = async (products: readonly ProductInput[]) => {
      const counts = await saveBatch(db, store, products, saved)
      const createdBefore = saved.created
      for (const name of ['created', 'updated', 'unchanged'] as const) saved[name] += counts[name]
      if (analyzeAfter.some((n) => createdBefore < n && saved.created >= n)) await tellPlanner(db)
      written += products.length
      report('write', written, bytes)
    }
    /** The next batch is read while the last one is written, and no further. */
    const flush = async () => {
      await writing
      const { products } = batch
      batch = newBatch()
      writing = request.signal?.aborted || products.length === 0 ? Promise.resolve() : write(products)
      // It is awaited at the next batch; until then a failure must not count as one that nobody handles.
      writing.catch(() => {})
    }
    try {
      for await (const record of readRecords(file, (read) => (bytes = read))) {
        if (request.signal?.aborted) break
        const outcome = check(record)
        if ('product' in outcome) addToBatch(batch, outcome.product)
        else if (request.skipBad) skipped++
        else throw new OperatorError(changedMeanwhile(request.path))
        if (isFull(batch, request.batchSize)) await flush()
      }
      await flush()
      await writing
      if (saved.created >= (analyzeAfter[0] ?? 0)) await tellPlanner(db)
    } catch (error) {
      await writing.catch(() => {})
      throw error instanceof FileFault ? new OperatorError(changedMeanwhile(request.path)) : error
    }
    return { skipped, stopped: request.signal?.aborted === true && written + skipped < checked.products }
  }
}

/** What the number of a fault counts. */
export const unitOf = (format: ImportFormat) => (format === 'json' ? 'element' : 'line')

const changedMeanwhile = (path: string) => `${path} was changed while it was read. Run the import again.`

/** New products after which the planner is told how many there are by now, and once more at the end. */
const analyzeAfter = [1_000, 20_000]

/** It makes things faster and nothing else, so an import does not fail for it. */
const tellPlanner = (db: Db) => analyzeCatalog(db).catch(() => {})

/** Bounded in every direction, so that a batch is a short transaction and a small message whatever products are like. */
const fullBatch = { products: 250, variants: 2_000, characters: 2_000_000 }

type Batch = { products: ProductInput[]; variants: number; characters: number }

const newBatch = (): Batch => ({ products: [], variants: 0, characters: 0 })

const addToBatch = (batch: Batch, product: ProductInput) => {
  batch.products.push(product)
  batch.variants += product.variants.length
  batch.characters += product.description.length
}

const isFull = ({ products, variants, characters }: Batch, size = fullBatch.products) =>
  products.length >= size || variants >= fullBatch.variants || characters >= fullBatch.characters

const saveBatch = async (db: Db, store: Store, products: readonly ProductInput[], soFar: SaveCounts) => {
  try {
    return await db.tx((tx) => saveProducts(tx, store, products))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const done = soFar.created + soFar.updated + soFar.unchanged
    throw new OperatorError(
      `The database went away or was too slow after ${done} products. They are saved; run the import again to finish.`,
      { cause: error },
    )
  }
}
