import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, errorMessage, isSystemError } from '../core/thrown.ts'
import { exportCatalog } from '../features/catalog/import/export.ts'
import { unitOf } from '../features/catalog/import/formats.ts'
import { type ImportResult, importCatalog } from '../features/catalog/import/import.ts'
import type { ImportProgress } from '../features/catalog/import/import-run.ts'
import type { RecordFault } from '../features/catalog/import/records.ts'
import {
  type ExportFormat,
  exportFormats,
  type ImportFormat,
  importFormats,
} from '../features/catalog/import/transfer.admin.contract.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, print, printWarning, toJson } from './output.ts'
import { whichStore } from './which-store.ts'

type ImportOptions = OutputOptions & {
  store?: string
  format?: ImportFormat
  replace?: boolean
  setStock?: boolean
  skipBad?: boolean
  dryRun?: boolean
}
type ExportOptions = OutputOptions & { store?: string; format?: ExportFormat }

export const addCatalog = (program: Command) => {
  const catalog = program.command('catalog').description('Import and export products')
  catalog
    .command('import <file>')
    .description('Add and update products from JSON, CSV, or a Shopify or WooCommerce product export')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .addOption(new Option('--format <name>', 'default: detected from the file').choices(importFormats))
    .option('--replace', 'treat the file as complete: reset fields and disable variants that it leaves out')
    .option('--set-stock', 'also set the stock of existing variants, not only of new ones')
    .option('--skip-bad', 'skip invalid products instead of rejecting the whole file')
    .option('--dry-run', 'report what would change, and write nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\ndocs/import.md describes the formats.\n\nExample:\n  vitrine catalog import products.csv')
    .action(runImport)
  catalog
    .command('export [file]')
    .description('Write all products to a file or to standard output, in a format that import reads')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .addOption(
      new Option(
        '--format <name>',
        'default: by the file extension, or jsonl; shopify is a Shopify product CSV',
      ).choices(exportFormats),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine catalog export products.jsonl')
    .action(runExport)
}

const runImport = async (path: string, options: ImportOptions) => {
  const stop = new AbortController()
  // One Ctrl+C arrives several times: from the terminal, and forwarded by npm and bin/vitrine.js.
  const onSignal = () => stop.abort()
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  const progress = options.json ? silent : createProgress(process.stderr)
  try {
    const found = await withDatabase(async (db, config) =>
      importCatalog(db, await whichStore(db, config, options), {
        ...{ path, format: options.format, skipBad: options.skipBad === true, dryRun: options.dryRun === true },
        ...{ replace: options.replace === true, setStock: options.setStock === true },
        ...{ signal: stop.signal, onProgress: progress.show },
      }),
    )
    const result = { ...found, faults: found.faults.map(wordFault) }
    progress.clear()
    if (options.json) print(toJson(result))
    else printReport(path, result)
    if (result.outcome === 'refused' || result.outcome === 'stopped') process.exitCode = 1
  } finally {
    progress.clear()
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

const wordFault = ({ fixedBy, message, ...position }: RecordFault) => ({
  ...position,
  message: fixedBy === 'replace' ? `${message}, or use --replace` : message,
})

const silent = { show: () => {}, clear: () => {} }

const maxErrorsShown = 50

const printReport = (path: string, result: ImportResult) => {
  const unit = unitOf(result.format)
  for (const { line, field, message } of result.faults.slice(0, maxErrorsShown)) {
    printWarning(`${path}: ${unit} ${line}: ${field} ${message}`)
  }
  if (result.faultCount > maxErrorsShown) printWarning(`… and ${result.faultCount - maxErrorsShown} more errors.`)
  if (result.ignoredFields.length > 0) printWarning(`Ignored fields: ${result.ignoredFields.join(', ')}.`)
  for (const note of result.notes) printWarning(`${products(note.products)}: ${note.text}.`)
  const failed = result.outcome === 'refused' || result.outcome === 'stopped'
  ;(failed ? printWarning : print)(summaries[result.outcome](result))
  if (failed) return
  const changes = Object.entries(result.changes).sort(([a], [b]) => (a < b ? -1 : 1))
  const isChecked = result.outcome === 'checked'
  if (changes.length > 0)
    print(
      `Fields ${isChecked ? 'that would change' : 'changed'}: ${changes.map(([field, n]) => `${field} of ${n}`).join(', ')}.`,
    )
  if (result.stockKept > 0) {
    const variants = result.stockKept === 1 ? '1 variant' : `${result.stockKept} variants`
    print(
      `The stock of ${variants} in the file differs from the store's and ${isChecked ? 'would not be' : 'was not'} changed. Use --set-stock to set it.`,
    )
  }
}

const products = (n: number) => (n === 1 ? '1 product' : `${n} products`)
const errors = (n: number) => (n === 1 ? '1 error' : `${n} errors`)
const counts = ({ created, updated, unchanged }: ImportResult, verb = '') =>
  `${created}${verb} created, ${updated} updated, ${unchanged} unchanged`

const summaries: Record<ImportResult['outcome'], (result: ImportResult) => string> = {
  done: (result) =>
    `${products(result.products)}: ${counts(result)}${result.skipped > 0 ? `, ${result.skipped} skipped` : ''}.`,
  checked: (result) =>
    `${products(result.products)}: ${counts(result, ' would be')}${result.skipped > 0 ? `, ${result.skipped} skipped` : ''}` +
    '. Nothing was written.',
  refused: ({ faultCount }) =>
    `${errors(faultCount)}. Nothing was written. Fix the file, or skip invalid products with --skip-bad.`,
  stopped: (result) => {
    const done = result.created + result.updated + result.unchanged
    if (done === 0) return 'Stopped. Nothing was written.'
    return `Stopped after ${done} of ${products(result.products)}: ${counts(result)}. Run it again to finish.`
  },
}

const everyMs = 200

/** A progress line that is redrawn in place, on a terminal only. */
const createProgress = (stream: NodeJS.WriteStream) => {
  if (!stream.isTTY) return silent
  let phase = ''
  let [phaseStart, lastShown] = [performance.now(), performance.now()]
  const show = (progress: ImportProgress) => {
    const now = performance.now()
    if (progress.phase !== phase) [phase, phaseStart] = [progress.phase, now]
    if (now - lastShown < everyMs) return
    lastShown = now
    const rate = Math.round(progress.products / Math.max(0.001, (now - phaseStart) / 1000))
    const verb = progress.phase === 'check' ? 'Checked' : 'Saved'
    const text = `${verb} ${products(progress.products)} (${Math.floor(progress.fraction * 100)} %, ${rate} per second)`
    stream.write(`\r\x1b[2K${text}`)
  }
  return { show, clear: () => void stream.write('\r\x1b[2K') }
}

const runExport = (path: string | undefined, options: ExportOptions) =>
  withReadableDatabase(async (db, config) => {
    const format = options.format ?? exportFormats.find((name) => path?.endsWith(`.${name}`)) ?? 'jsonl'
    const text = exportCatalog(db, await whichStore(db, config, options), format)
    if (path === undefined) return writeOutput(text)
    await writeFile(path, text)
    print(options.json ? JSON.stringify({ file: path, format }) : `Wrote the products to ${path}.`)
  })

/** A file is renamed when it is complete, so that a partial catalog is never imported. A device is written directly. */
const writeFile = async (path: string, text: AsyncIterable<string>) => {
  const isSpecial = await stat(path).then(
    (found) => !found.isFile(),
    () => false,
  )
  const target = isSpecial ? path : `${path}.${process.pid}.part`
  try {
    await pipeline(Readable.from(text), createWriteStream(target))
    if (!isSpecial) await rename(target, path)
  } catch (error) {
    if (!isSpecial) await rm(target, { force: true })
    if (!isSystemError(error)) throw error
    throw new OperatorError(`${path} cannot be written: ${errorMessage(error)}.`, { cause: error })
  }
}

/** The reader of a pipe may close it early (`| head`); that is no error. */
const writeOutput = async (text: AsyncIterable<string>) => {
  try {
    await pipeline(Readable.from(text), process.stdout, { end: false })
  } catch (error) {
    if (errorCode(error) !== 'EPIPE') throw error
  }
}
