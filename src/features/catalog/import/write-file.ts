import { basename } from 'node:path'
import { refuse } from '../../../core/domain-errors.ts'
import { Failure } from '../../../core/errors.ts'
import { takeTurns } from '../../../core/take-turns.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { compareFields, recordChange } from '../../audit/record.ts'
import type { ProductPatch } from '../product-input.ts'
import { analyzeCatalog } from '../products.sql.ts'
import { type SaveSummary, tryToSave } from '../save.ts'
import { createCheck } from './check.ts'
import { readRecords, unitOf } from './formats.ts'
import type { Batch, ImportRun, WriteState } from './import-run.ts'
import { addToBatch, isFull, newBatch, runBatch } from './import-run.ts'
import { FileFault } from './records.ts'

/** Numbers of new products after which the planner statistics are updated; also once at the end. */
const analyzeAfter = [1_000, 20_000]

/** Only an optimisation, so errors are ignored. */
const updateStatistics = (db: Db) => analyzeCatalog(db).catch(() => {})

/** The second pass: saves the products in batches, each in a transaction of its own. */
export const writeFile = async (run: ImportRun): Promise<void> => {
  const { db, store, file, request, now, state } = run
  const { path, skipBad, signal } = request
  const alreadyWritten = state.write.products
  const { check } = createCheck(store, unitOf(file.format))
  let batch = newBatch<ProductPatch>()
  let writing: Promise<void> = Promise.resolve()
  let [read, bytes] = [0, 0]
  const write = async (full: Batch<ProductPatch>) => {
    const createdBefore = state.write.saved.created
    state.write = await saveBatch(run, full)
    const { saved, products } = state.write
    if (analyzeAfter.some((n) => createdBefore < n && saved.created >= n)) await updateStatistics(db)
    run.report('write', products, bytes)
  }
  /** Reads one batch ahead while the last one is being written. */
  const flush = async () => {
    await writing
    const full = batch
    batch = newBatch()
    writing = signal?.aborted || full.records === 0 ? Promise.resolve() : runBatch(request, () => write(full))
    // Awaited at the next batch. Until then a failure must not be an unhandled rejection.
    writing.catch(() => {})
  }
  try {
    for await (const record of readRecords(file, now, (n) => (bytes = n))) {
      if (signal?.aborted) break
      const outcome = check(record)
      read++
      await takeTurns(read)
      if (read <= alreadyWritten) continue
      if ('patch' in outcome) addToBatch(batch, outcome.patch, outcome.patch)
      else if (skipBad) skip(batch)
      else throw refuse('IMPORT_FILE_CHANGED', { path })
      if (isFull(batch, request)) await flush()
    }
    await flush()
    await writing
    if (state.write.saved.created >= (analyzeAfter[0] ?? 0)) await updateStatistics(db)
  } catch (error) {
    await writing.catch(() => {})
    throw error instanceof FileFault ? refuse('IMPORT_FILE_CHANGED', { path }) : error
  }
}

const skip = (batch: Batch<ProductPatch>) => {
  batch.records++
  batch.bad++
}

/** Returns the state after the batch, which is saved in its transaction. */
const saveBatch = async (run: ImportRun, { items, records, bad }: Batch<ProductPatch>): Promise<WriteState> => {
  const { db, store, request, mode, state } = run
  const { products, skipped, saved } = state.write
  try {
    return await db.tx(async (tx) => {
      const { summary, plans } = await tryToSave(tx, store, items, mode)
      const refused = plans.filter((plan) => 'faults' in plan).length
      // The product was valid in the first pass, so the store has changed since.
      if (refused > 0 && !request.skipBad) throw refuse('IMPORT_STORE_CHANGED', { path: request.path })
      noteImport(tx, run, summary)
      const write = {
        ...{ products: products + records, skipped: skipped + bad + refused, saved: addSummaries(saved, summary) },
      }
      await request.save?.({ ...state, write }, tx)
      return write
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw refuse('IMPORT_INTERRUPTED', { saved: saved.created + saved.updated + saved.unchanged }, { cause: error })
  }
}

/** One entry for each batch, because a batch is a transaction. */
const noteImport = (tx: Tx, { store, by, request }: ImportRun, { created, updated, changes }: SaveSummary) => {
  if (created + updated === 0) return
  recordChange(tx, store, by, {
    ...{ action: 'catalog.imported', id: store.publicId },
    changes: compareFields({}, { file: request.fileName ?? basename(request.path), created, updated, fields: changes }),
  })
}

const addSummaries = (sum: SaveSummary, more: SaveSummary): SaveSummary => {
  const changes = { ...sum.changes }
  for (const [field, n] of Object.entries(more.changes)) changes[field] = (changes[field] ?? 0) + n
  return {
    created: sum.created + more.created,
    updated: sum.updated + more.updated,
    unchanged: sum.unchanged + more.unchanged,
    stockKept: sum.stockKept + more.stockKept,
    changes,
  }
}
