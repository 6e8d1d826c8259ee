import Type, { type Static } from 'typebox'
import { oneOf } from '../../../http/schema.ts'
import { adminEndpoint, storeParams } from '../../access/admin.contract.ts'
import { exampleJob, MerchantJobBody } from '../../merchant-jobs/merchant-jobs.admin.contract.ts'

export const importFormats = ['json', 'jsonl', 'csv', 'shopify', 'woocommerce'] as const
export type ImportFormat = (typeof importFormats)[number]
export const exportFormats = ['jsonl', 'json', 'csv', 'shopify'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const maxImportBytes = 256 * 1024 * 1024

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

const ImportForm = Type.Object({
  type: oneOf(['import']),
  format: Type.Optional(oneOf(importFormats)),
  replace: flag('The file is complete: reset fields and disable variants that it leaves out'),
  setStock: flag('Also set the stock of existing variants, not only of new ones'),
  skipBad: flag('Skip invalid products instead of rejecting the whole file'),
  dryRun: flag('Report what would change, and write nothing'),
})
export type ImportForm = Static<typeof ImportForm>

const queued = { ...exampleJob, status: 'queued', done: 0, percent: 0, result: null, startedAt: null, finishedAt: null }

const shared = { access: 'store', permission: 'jobs:write', method: 'POST', params: storeParams, once: true } as const

export const transferAdminContract = {
  adminCreateJob: adminEndpoint({
    ...{ ...shared, tag: 'Jobs', path: '/admin/v1/stores/{storeId}/jobs' },
    summary: 'Import products from a file',
    description:
      'JSON, JSON Lines, CSV, or a product export of Shopify or WooCommerce, up to 256 MiB of UTF-8 text; the format is detected unless `format` names it. The file is checked first, and nothing is written if a product is invalid, unless `skipBad` is set. `faults` of the job has the first 1,000 problems with their line and field. An interrupted import goes on by itself. At most three imports of a store may be unfinished.',
    maxFileBytes: maxImportBytes,
    body: ImportForm,
    ok: MerchantJobBody,
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { ...queued, type: 'import', total: 0 },
  }),
  adminExportProducts: adminEndpoint({
    ...{ ...shared, tag: 'Products', path: '/admin/v1/stores/{storeId}/products/export' },
    summary: 'Export all products to a file',
    description:
      'In a format that an import reads. Download the file at `jobs/{jobId}/file` when the job is done; it is kept for a day. At most twenty exports a day.',
    body: Type.Object({ format: Type.Optional(oneOf(exportFormats)) }),
    ok: MerchantJobBody,
    okStatus: 201,
    errors: ['CONFLICT'],
    example: { ...queued, type: 'export', total: 0 },
  }),
}
