import { takeTurns } from '../../../core/take-turns.ts'
import { countProduct, planProducts } from '../save.ts'
import { type Checked, createCheck } from './check.ts'
import { readRecords, unitOf } from './formats.ts'
import { addToBatch, type ImportRun, isFull, newBatch, runBatch } from './import-run.ts'
import { FileFault, locateFault, type ProductRecord, type RecordFault } from './records.ts'

type ReadRecord = { record: ProductRecord; outcome: Checked }

const defaultMaxFaults = 10_000

/** The first pass: finds all faults and changes, and writes nothing. */
export const checkFile = async (run: ImportRun): Promise<void> => {
  const { db, store, file, request, now, mode, state } = run
  const found = state.check
  const alreadyChecked = found.products
  const { check, ignoredFields, notes } = createCheck(store, unitOf(file.format))
  const keep = (fault: RecordFault) => {
    found.faultCount++
    if (found.faults.length < (request.maxFaults ?? defaultMaxFaults)) found.faults.push(fault)
  }
  /** Reports faults in the order of the file, whichever step finds them. */
  const judge = async (records: readonly ReadRecord[]) => {
    const patches = records.flatMap(({ outcome }) => ('patch' in outcome ? [outcome.patch] : []))
    const plans = (await planProducts(db, store, patches, mode)).values()
    for (const { record, outcome } of records) {
      const plan = 'patch' in outcome ? plans.next().value : undefined
      if (plan !== undefined && !('faults' in plan)) {
        countProduct(found.planned, plan)
        continue
      }
      found.bad++
      if ('faults' in outcome) outcome.faults.forEach(keep)
      for (const fault of plan?.faults ?? []) keep(locateFault(record, fault))
    }
    found.products += records.length
  }
  let [read, bytes] = [0, 0]
  let batch = newBatch<ReadRecord>()
  const flush = async () => {
    await judge(batch.items)
    batch = newBatch()
    await request.save?.(state)
  }
  const finish = () => Object.assign(found, { ignoredFields: ignoredFields(), notes: notes(), isComplete: true })
  try {
    for await (const record of readRecords(file, now, (n) => (bytes = n))) {
      if (request.signal?.aborted) return
      // Also for a product that was checked before: a later one may have the same slug.
      const outcome = check(record)
      read++
      await takeTurns(read)
      if (read <= alreadyChecked) continue
      addToBatch(batch, { record, outcome }, 'patch' in outcome ? outcome.patch : undefined)
      run.report('check', read, bytes)
      if (isFull(batch, request)) await runBatch(request, flush)
    }
    await judge(batch.items)
    finish()
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    await judge(batch.items)
    keep({ line: error.line, field: 'file', message: error.message })
    found.unreadable = true
    finish()
  }
  await request.save?.(state)
}
