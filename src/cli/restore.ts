import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { type OutputOptions, printResult, printWarning } from './output.ts'
import { deleteAllKept, putBackKept, type Restored, restoreFile } from './restore-steps.ts'
import { showProgress } from './show-progress.ts'

type RestoreOptions = OutputOptions & { yes?: boolean; undo?: boolean; deleteKept?: boolean }

export const addRestore = (program: Command) =>
  program
    .command('restore')
    .description('Replace the database and the files of the data folder by those of a backup, while the service runs')
    .argument('[file]', 'file that "vitrine backup" has written')
    .option('--yes', 'replace a database that has stores; it is kept under another name')
    .option('--undo', 'put back what the last restore has replaced')
    .option('--delete-kept', 'delete what restores have replaced')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine restore /mnt/backups/shop.tar.gz --yes\n  vitrine restore --undo\n  vitrine restore --delete-kept',
    )
    .action(async (file: string | undefined, options: RestoreOptions) => {
      const asked = [file !== undefined, options.undo, options.deleteKept].filter(Boolean)
      if (asked.length !== 1) throw new OperatorError('Give a file, or --undo, or --delete-kept.')
      const config = loadConfig(process.env)
      if (options.deleteKept) {
        const deleted = await deleteAllKept(config)
        return printResult(options, { deleted }, () => describeDeleted(deleted))
      }
      if (file === undefined) {
        const kept = await putBackKept(config)
        return printResult(options, kept, () => `Put back the data of ${kept.from}. ${describeKept(kept.kept)}`)
      }
      const progress = showProgress(options)
      try {
        const restored = await restoreFile(config, resolve(file), options.yes ?? false, progress.report)
        for (const warning of options.json ? [] : restored.warnings) printWarning(warning)
        printResult(options, restored, describe)
      } finally {
        progress.end()
      }
    })

const describe = ({ file, madeAt, rows, files, applied, kept }: Restored) =>
  [
    `Restored ${rows} rows and ${files} files of ${file}, made at ${madeAt}.`,
    ...(applied.length === 0 ? [] : [`Applied ${applied.length} migrations that came later.`]),
    ...(kept === null ? [] : [describeKept(kept)]),
    'Run "vitrine doctor" now.',
  ].join(' ')

const describeKept = (stamp: string) =>
  `What was there is kept as ${stamp}: "vitrine restore --undo" puts it back, "vitrine restore --delete-kept" deletes it.`

const describeDeleted = (stamps: readonly string[]) =>
  stamps.length === 0 ? 'No replaced data is kept.' : `Deleted the data kept as ${stamps.join(', ')}.`
