import type { Db } from '../../../db/database.ts'
import { commandLine } from '../../audit/record.ts'
import type { Store } from '../../context.ts'
import { newSummary, type SaveSummary } from '../save.ts'
import { checkFile } from './check-file.ts'
import { openImportFile } from './formats.ts'
import { type ImportNote, type ImportRequest, type ImportRun, newImportState } from './import-run.ts'
import type { RecordFault } from './records.ts'
import type { ImportFormat } from './transfer.admin.contract.ts'
import { writeFile } from './write-file.ts'

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
  notes: ImportNote[]
  outcome: 'done' | 'checked' | 'refused' | 'stopped'
}

/**
 * Reads a file twice: first to find all faults and changes, so that a file is imported completely or not at all, then to
 * save it in batches. Each batch is a short transaction. Products that are already saved are unchanged in the next run,
 * so an interrupted import is completed by running it again.
 */
export const importCatalog = async (db: Db, store: Store, request: ImportRequest): Promise<ImportResult> => {
  const file = openImportFile(request.path, request.format)
  const by = request.by ?? commandLine
  const run: ImportRun = {
    ...{ db, store, file, request, by, now: request.now ?? new Date(), state: request.state ?? newImportState() },
    mode: { replace: request.replace === true, setStock: request.setStock === true, by },
    report: (phase, products, bytes) =>
      request.onProgress?.({ phase, products, fraction: file.bytes === 0 ? 1 : bytes / file.bytes }),
  }
  const { check: checked } = run.state
  if (!checked.isComplete) await checkFile(run)

  const result = (outcome: ImportResult['outcome'], summary: SaveSummary, skipped = 0): ImportResult => {
    const { products, faults, faultCount, ignoredFields, notes } = checked
    return { ...summary, format: file.format, products, skipped, faults, faultCount, ignoredFields, notes, outcome }
  }
  if (!checked.isComplete) return result('stopped', newSummary())
  if (checked.unreadable || (checked.faultCount > 0 && !request.skipBad)) return result('refused', newSummary())
  if (request.dryRun) return result('checked', checked.planned, checked.bad)
  // Nothing to write, so the second pass is not needed.
  if (checked.planned.created + checked.planned.updated === 0) return result('done', checked.planned, checked.bad)
  await writeFile(run)
  const { products, skipped, saved } = run.state.write
  return result(products < checked.products ? 'stopped' : 'done', saved, skipped)
}
