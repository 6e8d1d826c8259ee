import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { seconds } from '../../../core/clock.ts'
import { DomainError } from '../../../core/domain-errors.ts'
import { later } from '../../../core/later.ts'
import type { Tx } from '../../../db/database.ts'
import { oneOf } from '../../../http/schema.ts'
import type { AdminCtx } from '../../context.ts'
import { deleteFile } from '../../merchant-jobs/job-files.sql.ts'
import { withFile } from '../../merchant-jobs/job-files.ts'
import type { JobWork, RunningJob } from '../../merchant-jobs/merchant-jobs.jobs.ts'
import type { JobFault, MerchantJob } from '../../merchant-jobs/merchant-jobs.sql.ts'
import { queueJob } from '../../merchant-jobs/merchant-jobs.ts'
import { type ImportResult, importCatalog } from './import.ts'
import { type ImportState, newImportState } from './import-run.ts'
import type { RecordFault } from './records.ts'
import { type ImportForm, importFormats } from './transfer.admin.contract.ts'

export const importJobType = 'import'

/** Each keeps its file in the database until it ends. */
const maxOpenImports = 3
const maxFaultsKept = 1_000

const ImportInput = Type.Object({
  fileName: Type.String(),
  format: Type.Optional(oneOf(importFormats)),
  replace: Type.Boolean(),
  setStock: Type.Boolean(),
  skipBad: Type.Boolean(),
  dryRun: Type.Boolean(),
})
type ImportInput = Static<typeof ImportInput>
const importInput = later(() => Compile(ImportInput))

export const queueImport = (
  tx: Tx,
  { store, by }: Pick<AdminCtx, 'store' | 'by'>,
  { id, fileName, form }: { id: string; fileName: string; form: ImportForm },
) => {
  const { format, replace = false, setStock = false, skipBad = false, dryRun = false } = form
  const flags = { replace, setStock, skipBad, dryRun }
  const input: ImportInput = { fileName, ...flags, ...(format === undefined ? {} : { format }) }
  return queueJob(tx, store, by, {
    ...{ id, type: importJobType, maxOpen: maxOpenImports, total: 0, input },
    audited: { file: fileName, ...flags },
  })
}

/** How often the progress of the first pass is noted. The second one notes every batch. */
const noteEveryMs = seconds(1)

export const runImport: JobWork = (running) =>
  withFile(running.db, running.store.id, running.job.id, (path) => importFile(running, path))

const importFile = async ({ db, store, job, mustPause, note }: RunningJob, path: string) => {
  if (!importInput().Check(job.input)) throw new Error(`the input of job ${job.id} is not that of an import`)
  const { format, ...input } = job.input
  const pause = new AbortController()
  const state = readState(job)
  let noted = state.check.faults.length
  let notedAt = performance.now()
  let fraction = 0
  const progressOf = (now: ImportState) => {
    const { faults, ...check } = now.check
    const percent = percentOf(now, fraction, input.dryRun)
    return {
      ...{ done: now.write.products, total: check.isComplete ? check.products : 0, result: null },
      faults: faults.slice(noted).map(wordFault),
      state: { percent, check, write: now.write },
    }
  }
  const save = async (now: ImportState, tx?: Tx) => {
    if (mustPause()) pause.abort()
    if (tx !== undefined) return note(tx, progressOf(now))
    const isDue = pause.signal.aborted || now.check.isComplete || performance.now() - notedAt > noteEveryMs
    if (!isDue) return
    await db.tx((own) => note(own, progressOf(now)))
    noted = now.check.faults.length
    notedAt = performance.now()
  }
  const end = async (ended: 'done' | 'failed', result: Record<string, unknown> | null, faults: JobFault[]) => {
    const { products } = state.check
    await db.tx(async (tx) => {
      await note(tx, {
        done: ended === 'done' ? products : state.write.products,
        total: products,
        faults,
        result,
        ended,
      })
      await deleteFile(tx, store.id, job.id)
    })
  }
  try {
    const result = await importCatalog(db, store, {
      ...{ ...input, format, path, by: job.author, now: job.createdAt, state, save },
      ...{ isGentle: true, maxFaults: maxFaultsKept, signal: pause.signal },
      onProgress: (progress) => {
        fraction = progress.fraction
      },
    })
    if (result.outcome !== 'stopped') await end(result.outcome === 'refused' ? 'failed' : 'done', resultOf(result), [])
  } catch (error) {
    // A product that was valid in the first pass no longer is, because of another change of the store.
    if (!(error instanceof DomainError) || error.code !== 'IMPORT_STORE_CHANGED') throw error
    await end('failed', null, [{ line: 0, field: 'file', message: error.message }])
  }
}

/** Half for each pass. */
const percentOf = ({ check, write }: ImportState, fraction: number, isDryRun: boolean) => {
  if (isDryRun) return Math.floor(fraction * 100)
  if (!check.isComplete) return Math.floor(fraction * 50)
  return 50 + Math.floor((50 * write.products) / Math.max(1, check.products))
}

/** The state as `save` has noted it. The faults are in a column of their own. */
const readState = ({ state, faults }: MerchantJob): ImportState => {
  if (state === null) return newImportState()
  const { check, write } = state as ImportState
  return { check: { ...check, faults: [...faults] }, write }
}

const resultOf = ({ faults: _, ...result }: ImportResult) => result

const wordFault = ({ fixedBy, message, ...position }: RecordFault): JobFault => ({
  ...position,
  message: fixedBy === 'replace' ? `${message}, or set replace` : message,
})
