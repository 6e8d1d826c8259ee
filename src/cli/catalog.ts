import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, errorMessage, isSystemError } from '../core/thrown.ts'
import { type ExportFormat, exportCatalog, exportFormats } from '../features/catalog/import/export.ts'
import { type ImportFormat, importFormats } from '../features/catalog/import/formats.ts'
import { type ImportProgress, type ImportResult, importCatalog, unitOf } from '../features/catalog/import/import.ts'
import type { RecordFault } from '../features/catalog/import/records.ts'
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
  const catalog = program.command('catalog').description('Products in bulk')
  catalog
    .command('import <file>')
    .description('Add products and change known ones, from JSON, CSV, or a product file of Shopify or WooCommerce')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .addOption(new Option('--format <name>', 'found out from the file otherwise').choices(importFormats))
    .option('--replace', 'the file is the whole truth about its products: what it leaves out is reset')
    .option('--set-stock', 'set the stock of variants that exist too, not only of new ones')
    .option('--skip-bad', 'leave out products with faults instead of refusing the whole file')
    .option('--dry-run', 'say what would change, and write nothing')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\ndocs/import.md describes the formats.\n\nExample:\n  vitrine catalog import products.csv')
    .action(runImport)
  catalog
    .command('export [file]')
    .description('Write all products in a format that import reads, to a file or to the output')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .addOption(
      new Option(
        '--format <name>',
        'by the name of the file, or jsonl; shopify makes a product file of Shopify',
      ).choices(exportFormats),
    )
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine catalog export products.jsonl')
    .action(runExport)
}

const runImport = async (path: string, options: ImportOptions) => {
  const stop = new AbortController()
  // A terminal sends it to us, and so do the launchers above us: it counts once.
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
    else tell(path, result)
    if (result.outcome === 'refused' || result.outcome === 'stopped') process.exitCode = 1
  } finally {
    progress.clear()
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

const wordFault = ({ fixedBy, message, ...place }: RecordFault) => ({
  ...place,
  message: fixedBy === 'replace' ? `${message}, or use --replace` : message,
})

const silent = { show: () => {}, clear: () => {} }

const mostFaultsShown = 50

const tell = (path: string, result: ImportResult) => {
  const unit = unitOf(result.format)
  for (const { line, field, message } of result.faults.slice(0, mostFaultsShown)) {
    printWarning(`${path}: ${unit} ${line}: ${field} ${message}`)
  }
  if (result.faultCount > mostFaultsShown) printWarning(`… and ${result.faultCount - mostFaultsShown} more faults.`)
  if (result.ignoredFields.length > 0)
    printWarning(`Fields that have no place here: ${result.ignoredFields.join(', ')}.`)
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
      `The file has a different stock for ${variants}; the store's stock ${isChecked ? 'would be' : 'was'} kept. Use --set-stock to change it.`,
    )
  }
}

const products = (n: number) => (n === 1 ? '1 product' : `${n} products`)
const faults = (n: number) => (n === 1 ? '1 fault' : `${n} faults`)
const counts = ({ created, updated, unchanged }: ImportResult, verb = '') =>
  `${created}${verb} created, ${updated} updated, ${unchanged} unchanged`

const summaries: Record<ImportResult['outcome'], (result: ImportResult) => string> = {
  done: (result) =>
    `${products(result.products)}: ${counts(result)}${result.skipped > 0 ? `, ${result.skipped} left out` : ''}.`,
  checked: (result) =>
    `${products(result.products)}: ${counts(result, ' would be')}${result.skipped > 0 ? `, ${result.skipped} left out` : ''}` +
    '. Nothing was written.',
  refused: ({ faultCount }) =>
    `${faults(faultCount)}. Nothing was written. Mend the file, or leave bad products out with --skip-bad.`,
  stopped: (result) => {
    const done = result.created + result.updated + result.unchanged
    if (done === 0) return 'Stopped. Nothing was written.'
    return `Stopped after ${done} of ${products(result.products)}: ${counts(result)}. Run it again to finish.`
  },
}

const everyMs = 200

/** A line drawn again and again, on a terminal only. */
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
    const text = `${verb} ${products(progress.products)} (${Math.floor(progress.fraction * 100)} %, ${rate} a second)`
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
    print(options.json ? JSON.stringify({ file: path, format }) : `The products are in ${path}.`)
  })

/** Under another name until it is whole, so that half a catalog is never taken for one. A device is just written to. */
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

/** Whoever reads our output may have seen enough (`| head`). */
const writeOutput = async (text: AsyncIterable<string>) => {
  try {
    await pipeline(Readable.from(text), process.stdout, { end: false })
  } catch (error) {
    if (errorCode(error) !== 'EPIPE') throw error
  }
}
