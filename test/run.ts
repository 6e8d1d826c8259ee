import { existsSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { finished } from 'node:stream/promises'
import { type EventData, run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { chooseProgram } from '../bin/bundle.js'
import { distribute } from '../src/db/distribute.ts'
import { openEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { bundleDependencies } from './bundle.ts'
import { onCluster } from './cluster.ts'
import { closeTemplate, dropDatabases, joinServers, makeDatabase, runSql, templateOf } from './databases.ts'
import { groupFiles } from './groups.ts'
import { watchForSilence } from './silence.ts'
import { keepTemporaryFilesInMemory } from './temporary.ts'

const help = `npm test [-- [--long] [--and FILE] [--database] [--only PART] [FILE or FOLDER …]]

Runs the tests against a PostgreSQL: the one that DATABASE_URL names (each run makes a database of its own in it), or
an embedded one made for this run. With DATABASE_DIRECT_URL, DATABASE_URL is a pooler in front of it. REDIS_URL adds the
tests that need a Redis. CITUS_DATABASE_URL names a database of a Citus cluster that knows its servers; databases of the
tests are then distributed over them.

  --long       also the slow ones (*.long.ts), and every combination where others try a part (combinations.ts, groups.ts)
  --and FILE   also this slow one; may be repeated
  --database   only tests that depend on the database: no command line, documents, hostile input
  --only PART  only tests whose name has this part
  FILE …       only these files, and those of these folders`

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean' },
    and: { type: 'string', multiple: true, default: [] },
    database: { type: 'boolean' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

keepTemporaryFilesInMemory()

/** Shared by the processes of this run: compiled modules, groups of files, and set-ups (shared.ts). */
const shared = mkdtempSync(join(tmpdir(), 'vitrine-shared-'))

const main = async () => {
  if (values.help) return print(help)
  const empty = positionals.find((path) => !existsSync(path) || filesIn(path).length === 0)
  if (empty !== undefined) {
    process.stderr.write(`There are no tests in ${empty}.\n`)
    process.exitCode = 1
    return
  }
  const database = await openTestDatabase()
  try {
    process.exitCode = await runTests(database.url)
  } finally {
    await database.close()
    rmSync(shared, { recursive: true, force: true })
  }
}

/** Tests whose result does not depend on the database server, and slow ones: test/statements has all statements. */
const excluded = values.database
  ? [
      'src/{cli,core,http,providers,service}/**',
      'src/db/{embedded.test.ts,embedded/**,queueing.test.ts,sql.test.ts}',
      'src/jobs/{cleanup-job,runner}.test.ts',
      'src/config.test.ts',
      'src/features/{audit,customers,delivery,invoices,mail,media,merchant-jobs,outgoing-webhooks,returns,staff}/**',
      'src/features/orders/orders.admin.test.ts',
      'src/features/payments/{dead-provider,payment-jobs*,real-*,refund-outcomes,session-holds}.test.ts',
      'test/{admin-hostile,bench*,contract-compatibility,demo-parts,dependencies,document*,domain-errors,generated}.test.ts',
      'test/{guide*,styles,tidy,regexps,hostile-*,invoke,matrix*,sdk*}.test.ts',
      'test/statements/owners.test.ts',
      'test/{browser,failover,faults}/**',
      'test/{rolling,tracing,observability}.test.ts',
      'src/demo-shop/**',
    ]
  : []

/** A folder stands for its tests. */
const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`).sort() : [path]

/** Left out on a cluster, and why. A single test says it by itself (`notOnCluster` in cluster.ts). */
const leftOutOnCluster: Record<string, string> = {
  'src/db/{embedded.test.ts,embedded/**}': 'they start embedded servers',
  'test/{failover,faults}/**': 'they stop and start servers of their own',
  'test/plans.test.ts': 'they read the plans of one server',
}

/** A test that waits for ever fails after this time, and the others of its file go on. The slowest takes about a minute. */
const maxTestMinutes = 8

/** For what that limit cannot end: a process that is busy for ever, or stays because of a server that a test has left open. */
const maxSilentMinutes = 10

const runTests = async (url: string) => {
  const chosen = globSync('{src,test}/**/*.test.ts', {
    exclude: [...excluded, ...(onCluster ? Object.keys(leftOutOnCluster) : [])],
  }).sort()
  const named = positionals.flatMap(filesIn)
  const long = values.long ? globSync('test/**/*.long.ts').sort() : values.and
  // The slow ones come first, so that no core is idle at the end.
  const doubles = values.database ? 'none' : values.long ? 'all' : 'part'
  const files = [...long, ...groupFiles(named.length > 0 ? named : chosen, shared, doubles)]
  const env = {
    ...process.env,
    ...{ TEST_DATABASE_URL: url, TEST_SHARED_DIR: shared, NODE_ENV: 'test' },
    // Tests start some hundred processes. From the bundle that `npm start` makes, each takes a second less than from the source.
    TEST_PROGRAM: chooseProgram(process.cwd(), 'start'),
    ...(process.env.DATABASE_DIRECT_URL && { TEST_POOLER: process.env.DATABASE_URL }),
    ...(values.long ? { TEST_ALL_COMBINATIONS: '1' } : {}),
    // Some hundred processes load the same modules; the first one compiles them.
    NODE_COMPILE_CACHE: join(shared, 'compiled'),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${await bundleDependencies(shared)}`.trim(),
  }
  // Settings of this process must not reach the services that tests start.
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'PORT', 'HOST', 'VITRINE_DATA_DIR'])
    delete (env as NodeJS.ProcessEnv)[name]
  const stuck = new AbortController()
  const events = run({
    files,
    env,
    signal: stuck.signal,
    // The slow ones may take an hour each.
    ...(values.long ? {} : { execArgv: [`--test-timeout=${maxTestMinutes * 60_000}`] }),
    // Tests also wait, so two processes more than cores keep all of them busy.
    concurrency: Math.min(availableParallelism() + 2, 8),
    ...(values.only ? { testNamePatterns: [values.only] } : {}),
  })
  let failed = false
  events.on('test:fail', () => {
    failed = true
  })
  const secondsOf = new Map<string, number>()
  for (const end of ['test:pass', 'test:fail'] as const) events.on(end, (test) => addSeconds(secondsOf, test))
  if (!values.long) {
    watchForSilence(events, maxSilentMinutes * 60_000, (running) => {
      print(`No test has begun or ended for ${maxSilentMinutes} minutes. These have not ended:\n${running.join('\n')}`)
      stuck.abort()
    })
  }
  events.compose(spec).pipe(process.stdout, { end: false })
  await finished(events)
  if (secondsOf.size > slowestShown) print(describeSlowest(secondsOf))
  return failed ? 1 : 0
}

type EndedTest = Pick<EventData.TestPass, 'name' | 'file' | 'nesting' | 'details'>

/** In a group, the outermost suites are the files (groups.ts). */
const addSeconds = (secondsOf: Map<string, number>, { name, file = name, nesting, details }: EndedTest) => {
  if (nesting > 0) return
  const path = /\.test\.ts\b/.test(name) ? name : relative(process.cwd(), file)
  secondsOf.set(path, (secondsOf.get(path) ?? 0) + details.duration_ms / 1000)
}

const slowestShown = 15

const describeSlowest = (secondsOf: ReadonlyMap<string, number>) =>
  ['The slowest files, in seconds, while others ran beside them:']
    .concat(
      [...secondsOf]
        .sort(([, a], [, b]) => b - a)
        .slice(0, slowestShown)
        .map(([path, seconds]) => `${seconds.toFixed(1).padStart(8)}  ${path}`),
    )
    .join('\n')

/** A migrated database, and beside it the template from which tests make more of them. */
const openTestDatabase = async () => {
  const name = `vitrine_test_${process.pid}_${Date.now()}`
  const server = await openServer(name)
  try {
    const template = await makeDatabase(server.url, templateOf(name))
    await prepareTemplate(template)
    if (onCluster) await closeTemplate(server.url, templateOf(name))
    return { url: await makeDatabase(server.url, name, { template: templateOf(name) }), close: server.close }
  } catch (error) {
    await server.close()
    throw error
  }
}

const prepareTemplate = async (url: string) => {
  if (onCluster) await joinServers(url)
  await migrate({ connectionString: url })
  if (!onCluster) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await distribute(client)
  } finally {
    await client.end()
  }
}

/** An embedded server is removed with all its databases; from one that was given, those of this run are dropped. */
const openServer = async (name: string) => {
  const {
    CITUS_DATABASE_URL,
    DATABASE_URL: named = CITUS_DATABASE_URL,
    DATABASE_DIRECT_URL: given = named,
  } = process.env
  if (given !== undefined) {
    print(`Testing on PostgreSQL at ${new URL(named ?? given).host}`)
    return { url: given, close: () => dropDatabases(given, name) }
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const server = await openEmbedded({ dataDir, role: 'service' })
  const { host, port, user, password, database } = server.connection
  const url = `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`
  // The data need not survive a crash.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await runSql(url, `alter system set ${setting} = off`)
  await runSql(url, 'select pg_reload_conf()')
  print('Testing on an embedded PostgreSQL made for this run')
  return {
    url,
    close: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

await main()
