import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { type ExportFormat, exportCatalog, exportFormats } from '../features/catalog/import/export.ts'
import { type ImportFormat, importFormats } from '../features/catalog/import/formats.ts'
import { type ImportProgress, type ImportResult, importCatalog, unitOf } from '../features/catalog/import/import.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { type OutputOptions, print, printWarning, toJson } from './output.ts'
import { whichStore } from './which-store.ts'

type ImportOptions = OutputOptions & { store?: string; format?: ImportFormat; skipBad?: boolean; dryRun?: boolean }
type ExportOptions = OutputOptions & { store?: string; format?: ExportFormat }

export const addCatalog = (program: Command) => {
  const catalog = program.command('catalog').description('Products in bulk')
  catalog
    .command('import <file>')
    .description('Add and update products from JSON, JSON lines, CSV or a product file of Shopify')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .addOption(new Option('--format <name>', 'found out from the file otherwise').choices(importFormats))
    .option('--skip-bad', 'leave out products with faults instead of refusing the whole file')
    .option('--dry-run', 'only look for faults')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\ndocs/import.md describes the formats.\n\nExample:\n  vitrine catalog import products.csv')
    .action(runImport)
  catalog
    .command('export [file]')
    .description('Write all products in the format that import reads, to a file or to the output')
    .option('--store <id>', 'which store; the only one, or the demo store, unless set')
    .addOption(new Option('--format <name>', 'by the name of the file, or jsonl').choices(exportFormats))
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
  const progress = options.json ? { show: () => {}, clear: () => {} } : createProgress(process.stderr)
  try {
    const result = await withDatabase(async (db, config) =>
      importCatalog(db, await whichStore(db, config, options), {
        ...{ path, format: options.format, skipBad: options.skipBad === true, dryRun: options.dryRun === true },
        ...{ signal: stop.signal, onProgress: progress.show },
      }),
    )
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

const mostFaultsShown = 50

const tell = (path: string, result: ImportResult) => {
  const unit = unitOf(result.format)
  for (const { line, field, message } of result.faults.slice(0, mostFaultsShown)) {
    printWarning(`${path}: ${unit} ${line}: ${field} ${message}`)
  }
  if (result.faultCount > mostFaultsShown) printWarning(`… and ${result.faultCount - mostFaultsShown} more faults.`)
  if (result.ignoredFields.length > 0)
    printWarning(`Fields that mean nothing here: ${result.ignoredFields.join(', ')}.`)
  const failed = result.outcome === 'refused' || result.outcome === 'stopped'
  ;(failed ? printWarning : print)(summaries[result.outcome](result))
}

const products = (n: number) => (n === 1 ? '1 product' : `${n} products`)
const faults = (n: number) => (n === 1 ? '1 fault' : `${n} faults`)
const counts = ({ created, updated, unchanged }: ImportResult) =>
  `${created} created, ${updated} updated, ${unchanged} unchanged`

const summaries: Record<ImportResult['outcome'], (result: ImportResult) => string> = {
  done: (result) =>
    `${products(result.products)}: ${counts(result)}${result.skipped > 0 ? `, ${result.skipped} left out` : ''}.`,
  checked: ({ products: n, faultCount, skipped }) =>
    faultCount === 0
      ? `${products(n)}, no faults. Nothing was written.`
      : `${products(n)}, ${skipped} with faults, which --skip-bad leaves out. Nothing was written.`,
  refused: ({ faultCount }) =>
    `${faults(faultCount)}. Nothing was written. Mend the file, or leave bad products out with --skip-bad.`,
  stopped: (result) => {
    const done = result.created + result.updated + result.unchanged
    if (done === 0) return 'Stopped. Nothing was written.'
    return `Stopped after ${done} of ${products(result.products)}: ${counts(result)}. Run it again to finish.`
  },
}

/** A line drawn again and again on a terminal; elsewhere a line every ten seconds. */
const createProgress = (stream: NodeJS.WriteStream) => {
  const everyMs = stream.isTTY ? 200 : 10_000
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
    stream.write(stream.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
  }
  const clear = () => {
    if (stream.isTTY) stream.write('\r\x1b[2K')
  }
  return { show, clear }
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
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new OperatorError(`${path} cannot be written: ${(error as Error).message}.`, { cause: error })
  }
}

/** Whoever reads our output may have seen enough (`| head`). */
const writeOutput = async (text: AsyncIterable<string>) => {
  try {
    await pipeline(Readable.from(text), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
