import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { later } from '../../../core/later.ts'
import type { Tx } from '../../../db/database.ts'
import { oneOf } from '../../../http/schema.ts'
import type { AdminCtx, Store } from '../../context.ts'
import { storePart } from '../../merchant-jobs/job-files.ts'
import type { Step } from '../../merchant-jobs/merchant-jobs.jobs.ts'
import type { MerchantJob } from '../../merchant-jobs/merchant-jobs.sql.ts'
import { queueJob } from '../../merchant-jobs/merchant-jobs.ts'
import { countProductsToExport } from './export.sql.ts'
import { exportBatch, startOfExport } from './export.ts'
import { type ExportFormat, exportFormats } from './transfer.admin.contract.ts'

export const exportJobType = 'export'

/** The files are kept for a day. */
const maxExportsADay = 20
const stepSize = 100

const ExportInput = Type.Object({ format: oneOf(exportFormats) })
type ExportInput = Static<typeof ExportInput>
const exportInput = later(() => Compile(ExportInput))

export const queueExport = (tx: Tx, { store, by }: Pick<AdminCtx, 'store' | 'by'>, format: ExportFormat) => {
  const input: ExportInput = { format }
  return queueJob(tx, store, by, {
    ...{ type: exportJobType, maxKept: maxExportsADay, total: 0, input, audited: { format } },
  })
}

const ExportState = Type.Object({ part: Type.Integer(), after: Type.String(), count: Type.Integer() })
const exportState = later(() => Compile(ExportState))

/** Writes the next products as a part of the file. */
export const runExportStep = async (tx: Tx, store: Store, job: MerchantJob): Promise<Step> => {
  if (!exportInput().Check(job.input)) throw new Error(`the input of job ${job.id} is not that of an export`)
  const { format } = job.input
  const before = exportState().Check(job.state) ? { ...job.state } : { part: 0, ...startOfExport }
  const { text, isLast, ...position } = await exportBatch(tx, store, format, before, stepSize)
  await storePart(tx, store.id, job.id, before.part, text)
  const total = before.part === 0 ? await countProductsToExport(tx, store.id) : job.total
  const file = `products.${format === 'shopify' ? 'csv' : format}`
  return {
    ...{ done: position.count, total: isLast ? position.count : total, faults: [], isFinished: isLast },
    ...{ result: isLast ? { file, products: position.count } : null, state: { ...position, part: before.part + 1 } },
  }
}
