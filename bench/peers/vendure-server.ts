import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Runs Vendure from the folder in PEER_FOLDER: with `fill`, fills its database from the CSV file that is the next
 * argument; without, serves. The packages have no types here, because they are no dependencies of this project.
 */
const require = createRequire(join(process.env.PEER_FOLDER ?? '', 'package.json'))
const core = require('@vendure/core')

const url = new URL(process.env.DATABASE_URL ?? '')
const [, , command = 'serve', csvFile = ''] = process.argv
const isFilling = command === 'fill'

const config = {
  apiOptions: { hostname: '127.0.0.1', port: Number(process.env.PORT), shopApiPath: 'shop-api', introspection: false },
  authOptions: {
    // Without cookies, as the other two.
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin-of-a-bench' },
  },
  dbConnectionOptions: {
    type: 'postgres',
    host: decodeURIComponent(url.hostname),
    port: Number(url.port || 5432),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
    synchronize: isFilling,
    logging: false,
    poolSize: Number(process.env.PEER_CONNECTIONS),
    // The import commits several times a product. Only while it runs.
    ...(isFilling && { extra: { options: '-c synchronous_commit=off' } }),
  },
  paymentOptions: { paymentMethodHandlers: [core.dummyPaymentHandler] },
  logger: new core.DefaultLogger({ level: core.LogLevel.Error }),
  plugins: [
    core.DefaultJobQueuePlugin.init({}),
    // Each order would otherwise add a job that updates the index of searches. Collected, these cost the run nothing.
    core.DefaultSearchPlugin.init({ bufferUpdates: true }),
  ],
}

const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Asia',
  countries: [{ code: 'IN', name: 'India', zone: 'Asia' }],
  taxRates: [{ name: 'Standard Tax', percentage: 0 }],
  shippingMethods: [{ name: 'Standard Shipping', price: 0 }],
  paymentMethods: [
    {
      name: 'dummy',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'true' }] },
    },
  ],
  collections: [],
}

/** Told to the parent process. */
const tell = (text: string) => void process.stdout.write(`${text}\n`)

const fill = async () => {
  const { populateInitialData } = require('@vendure/core/cli')
  const app = await core.bootstrap(config)
  await populateInitialData(app, initialData)
  const ctx = await app.get(core.RequestContextService).create({ apiType: 'admin', languageCode: 'en' })
  let imported = 0
  let errors: string[] = []
  const progress = app.get(core.Importer).parseAndImport(readFileSync(csvFile, 'utf8'), ctx)
  await progress.forEach((state: { imported: number; errors?: string[] }) => {
    errors = state.errors ?? []
    if (state.imported - imported < 500) return
    imported = state.imported
    tell(`${imported} products`)
  })
  if (errors.length > 0) throw new Error(`the import had ${errors.length} errors: ${errors[0]}`)
  tell('index of searches')
  await app.get(core.JobQueueService).start()
  const job = await app.get(core.SearchService).reindex(ctx)
  await waitFor(app.get(core.ConfigService).jobQueueOptions.jobQueueStrategy, job.id)
  await app.close()
}

type Job = { state: string; error?: string }

const waitFor = async (jobs: { findOne(id: unknown): Promise<Job> }, id: unknown) => {
  for (;;) {
    const { state, error } = await jobs.findOne(id)
    if (state === 'COMPLETED') return
    if (state === 'FAILED' || state === 'CANCELLED') throw new Error(`the job is ${state}: ${error}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

if (isFilling) {
  await fill()
  process.exit(0)
}
const app = await core.bootstrap(config)
process.once('SIGTERM', () => app.close().then(() => process.exit(0)))
