import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode, errorMessage } from '../core/thrown.ts'
import { withReadableDatabase } from './database.ts'
import { type OutputOptions, print, printResult, wholeNumber } from './output.ts'
import { serviceUrl } from './service-note.ts'
import { readDemo, whichStore } from './which-store.ts'

type DoubleName = 'stripe' | 'razorpay' | 'juspay' | 'shiprocket'

/** `kind` begins the options of `store set`. The ports are fixed, so that the address can stay in the environment. */
const doubles: Record<DoubleName, { label: string; kind: 'payment' | 'carrier'; port: number }> = {
  stripe: { label: 'Stripe', kind: 'payment', port: 4010 },
  razorpay: { label: 'Razorpay', kind: 'payment', port: 4011 },
  juspay: { label: 'Juspay', kind: 'payment', port: 4012 },
  shiprocket: { label: 'Shiprocket', kind: 'carrier', port: 4013 },
}

type StartOptions = OutputOptions & { port?: string; store?: string; credentials?: string; logisticsKey?: string }

export const addDouble = (program: Command) =>
  program
    .command('double')
    .description('Try a provider offline')
    .command('start')
    .description('Run a test double of a provider on this machine, for development; no money moves')
    .addArgument(new Argument('<provider>', 'the provider').choices(Object.keys(doubles)))
    .option('--port <n>', 'port to listen on; default: stripe 4010, razorpay 4011, juspay 4012, shiprocket 4013')
    .option('--store <id>', 'store id; default: the only store, or the demo store')
    .option('--credentials <file>', 'file to write the credentials of the store to')
    .option('--logistics-key <key>', "for shiprocket: the store's logistics key; default: that of the demo store")
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine double start stripe --credentials stripe.json')
    .action(startDouble)

const startDouble = async (name: DoubleName, options: StartOptions) => {
  const { storeId, owner, service } = await withReadableDatabase(async (db, config) => {
    if (config.production)
      throw new OperatorError('Test doubles are for development: in production a payment must be real.')
    const store = await whichStore(db, config, options)
    return {
      storeId: store.publicId,
      owner: ownerOf(name, store.publicId, options, config),
      service: serviceUrl(config),
    }
  })
  const { startNamedDouble } = await loadDoubles()
  const port = options.port === undefined ? doubles[name].port : wholeNumber('--port', options.port, maxPort)
  const onDelivered = ({ url, status }: Delivered) => {
    if (!options.json) print(`Webhook to ${url}: ${status === 0 ? 'no answer' : status}`)
  }
  const double = await explainListening(startNamedDouble(name, { port, onDelivered }), port)
  const credentials = double.openAccount(service, owner)
  if (options.credentials !== undefined) writeCredentials(options.credentials, credentials)
  const started = describe(name, { storeId, url: double.url, service, file: options.credentials })
  printResult(options, { ...started, credentials }, () => explain(name, started, credentials, options.credentials))
  await untilStopped()
  await double.close()
  if (!options.json) print('Stopped.')
}

const maxPort = { min: 0, max: 65535 }

/** The parts of test/doubles/ that are used here. Nothing in src may import tests, and the package has none. */
type Delivered = { url: string; status: number }
type Started = {
  url: string
  openAccount(serviceUrl: string, owner: string): Record<string, string>
  close(): Promise<void>
}
type Doubles = {
  startNamedDouble(
    name: DoubleName,
    options: { port: number; onDelivered: (webhook: Delivered) => void },
  ): Promise<Started>
}

const loadDoubles = async (): Promise<Doubles> => {
  const file = new URL('../../test/doubles/start.ts', import.meta.url)
  if (!existsSync(file)) {
    throw new OperatorError('The installed package has no test doubles. Run this command in a checkout of the source.')
  }
  return import(file.href)
}

/** Shiprocket names the store by its logistics key, of which the database has only a hash. */
const ownerOf = (name: DoubleName, storeId: string, { logisticsKey }: StartOptions, config: Config): string => {
  if (doubles[name].kind === 'payment') return storeId
  const demo = readDemo(config)
  const key = logisticsKey ?? (demo?.storeId === storeId ? demo.logisticsKey : undefined)
  if (key !== undefined) return key
  throw new OperatorError(
    'Pass the logistics key of the store with --logistics-key. "vitrine webhook-credential rotate --kind logistics" makes a new one.',
  )
}

const explainListening = async (starting: Promise<Started>, port: number): Promise<Started> => {
  try {
    return await starting
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE') {
      throw new OperatorError(`Port ${port} is in use by another program. Choose another with --port.`)
    }
    if (code === 'EACCES') throw new OperatorError(`Only root may use port ${port}. Choose one above 1023.`)
    throw error
  }
}

const writeCredentials = (file: string, credentials: Record<string, string>) => {
  try {
    writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
    // A file that existed keeps its mode.
    chmodSync(file, 0o600)
  } catch (error) {
    throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}.`, { cause: error })
  }
}

type Place = { storeId: string; url: string; service: string; file: string | undefined }

const describe = (name: DoubleName, { storeId, url, service, file = `${name}.json` }: Place) => {
  const { kind } = doubles[name]
  const environment = `VITRINE_${name.toUpperCase()}_URL=${url}`
  const provider = kind === 'payment' ? `--payment-provider ${name}` : `--carrier ${name}`
  return {
    ...{ url, storeId, environment },
    start: `${environment} npm start`,
    set: `${environment} npm run vitrine -- store set --store ${storeId} ${provider} --${kind}-credentials ${quote(file)}`,
    webhookUrl: `${service}${webhookPaths[name].replace('{storeId}', storeId)}`,
  }
}

const webhookPaths: Record<DoubleName, string> = {
  stripe: '/webhook/stripe/{storeId}',
  razorpay: '/webhook/razorpay/{storeId}',
  juspay: '/webhook/juspay',
  shiprocket: '/webhook/logistics/parcel',
}

/** For a shell. */
const quote = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const explain = (
  name: DoubleName,
  { url, start, set, webhookUrl }: ReturnType<typeof describe>,
  credentials: Record<string, string>,
  file: string | undefined,
) => `A test double of ${doubles[name].label} listens on ${url}. No money moves.

1. Restart the service with its address:
  ${start}

2. ${file === undefined ? `Save these credentials as ${name}.json:` : `The credentials are in ${file}:`}
  ${JSON.stringify(credentials)}

3. Set up the store, in another terminal:
  ${set}

${doubles[name].kind === 'carrier' ? `Move its parcels at ${url}/ in a browser.\n` : ''}Webhooks go to ${webhookUrl}. Everything is forgotten when it stops.
Stop with Ctrl+C.`

const untilStopped = () =>
  new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
