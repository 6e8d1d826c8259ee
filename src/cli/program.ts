import { Command, CommanderError } from 'commander'
import { loadConfig } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { addBackup } from './backup.ts'
import { addCatalog } from './catalog.ts'
import { addCoupon } from './coupon.ts'
import { addCustomer } from './customer.ts'
import { addDelivery } from './delivery.ts'
import { addDoctor } from './doctor.ts'
import { toOperatorError } from './domain-errors.ts'
import { addDouble } from './double.ts'
import { addInbox } from './inbox.ts'
import { addKey } from './key.ts'
import { addMail } from './mail.ts'
import { addMedia } from './media.ts'
import { addMenu } from './menu.ts'
import { addMigrate } from './migrate.ts'
import { addOpenapi } from './openapi.ts'
import { addOrder } from './order.ts'
import { addOrigin } from './origin.ts'
import { addOutlet } from './outlet.ts'
import { explainFailure } from './output.ts'
import { addProduct } from './product.ts'
import { addReport } from './report.ts'
import { addRestore } from './restore.ts'
import { addReturnCommands } from './return.ts'
import { addSeed } from './seed.ts'
import { addShipment } from './shipment.ts'
import { addSimulate } from './simulate.ts'
import { addStaff } from './staff.ts'
import { addStart } from './start.ts'
import { addStock } from './stock.ts'
import { addStore } from './store.ts'
import { addToken } from './token.ts'
import { addWebhook } from './webhook.ts'
import { addWebhookCredential } from './webhook-credential.ts'

const usageErrorExitCode = 2

/** Exit codes: 0 success, 1 failure, 2 invalid usage. */
export const run = async (argv: readonly string[]) => {
  // The reader of a pipe may close it early (`| head`). The service must keep running.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    await runProgram(argv)
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : usageErrorExitCode)
    process.stderr.write(`${explainFailure(error, argv.includes('--json'))}\n`)
    process.exit(1)
  }
}

/** Runs one command. Every command ends here, so that none of them shows a domain error with its stack. */
export const runProgram = async (argv: readonly string[]) => {
  try {
    await createProgram().parseAsync(argv)
  } catch (error) {
    throw toOperatorError(error)
  }
}

export const createProgram = () => {
  const program = new Command('vitrine')
    .description('A storefront API: catalog, carts, sign-in, checkout, payments and delivery')
    .version(readVersion())
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nSettings are environment variables; docs/settings.md lists them. Without DATABASE_URL, all commands use the embedded\nPostgreSQL in VITRINE_DATA_DIR (.vitrine), whether the service is running or not.',
    )
  for (const add of [
    addStart,
    addMigrate,
    addBackup,
    addRestore,
    addSeed,
    addStore,
    addOutlet,
    addKey,
    addOrigin,
    addReport,
    addReturnCommands,
    addStaff,
    addToken,
    addWebhookCredential,
    addMenu,
    addCatalog,
    addProduct,
    addMedia,
    addStock,
    addCoupon,
    addCustomer,
    addOrder,
    addShipment,
    addWebhook,
    addDelivery,
    addInbox,
    addMail,
    addSimulate,
    addDouble,
    addDoctor,
    addOpenapi,
  ]) {
    add(program)
  }
  applyToAll(program, (command) => command.exitOverride())
  return program
}

const applyToAll = (command: Command, change: (command: Command) => void) => {
  change(command)
  for (const child of command.commands) applyToAll(child, change)
}

/** Does not read the environment, so that `--version` works when a setting is invalid. */
const readVersion = () => {
  try {
    return loadConfig({}).version
  } catch (error) {
    throw new OperatorError('The installation is damaged: package.json cannot be read.', { cause: error })
  }
}
