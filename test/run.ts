import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'

const help = `npm test [-- [--long] [--database] [--only PART] [FILE …]]

Runs the tests against a PostgreSQL: the one that DATABASE_URL names (each run makes a database of its own in it), or
an embedded one made for this run. REDIS_URL adds the tests that need a Redis.

  --long       also the slow ones (*.long.ts)
  --database   only what the kind of database has a part in: no command line, documents, hostile input
  --only PART  only tests whose name has this part
  FILE …       only these files`

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean' },
    database: { type: 'boolean' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
})

const print = (text: string) => void process.stdout.write(`${text}\n`)

const compiled = mkdtempSync(join(tmpdir(), 'vitrine-compiled-'))

const main = async () => {
  if (values.help) return print(help)
  const database = await openTestDatabase()
  try {
    await migrate({ connectionString: database.url })
    process.exitCode = await runTests(database.url)
  } finally {
    await database.close()
    rmSync(compiled, { recursive: true, force: true })
  }
}

/** These run alike on any database, or not at all on another one. */
const leftOut = values.database
  ? [
      'src/{cli,core,providers}/**',
      'src/db/embedded{,.test.ts,/**}',
      'src/config.test.ts',
      'test/{benches,dependencies,document*,guide*,tidy,regexps,hostile-*,sdk*}.test.ts',
      'test/browser/**',
      'src/demo-shop/**',
    ]
  : []

const runTests = (url: string) => {
  const chosen = positionals.length > 0 ? positionals : globSync('{src,test}/**/*.test.ts', { exclude: leftOut })
  const files = [...chosen, ...(values.long ? globSync('test/**/*.long.ts') : [])].sort()
  const args = [
    '--test',
    '--test-concurrency=2',
    ...(values.only ? ['--test-name-pattern', values.only] : []),
    ...files,
  ]
  // A hundred processes load the same modules: the first one leaves them compiled for the others.
  const env = { ...process.env, TEST_DATABASE_URL: url, NODE_ENV: 'test', NODE_COMPILE_CACHE: compiled }
  // What configures a service must not reach the services that tests start.
  for (const name of ['DATABASE_URL', 'PORT', 'HOST', 'VITRINE_DATA_DIR']) delete (env as NodeJS.ProcessEnv)[name]
  const child = spawn(process.execPath, args, { stdio: 'inherit', env })
  return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

const openTestDatabase = async () => {
  const given = process.env.DATABASE_URL
  if (given !== undefined) {
    const url = await makeDatabase(given)
    print(`Testing on PostgreSQL at ${new URL(url).host}`)
    return { url, close: () => dropDatabase(given, url) }
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const server = await openEmbedded({ dataDir, role: 'service' })
  const { host, port, user, password, database } = server.connection
  print('Testing on an embedded PostgreSQL made for this run')
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`,
    close: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const makeDatabase = async (given: string) => {
  const name = `vitrine_test_${process.pid}_${Date.now()}`
  await runSql(given, `create database ${name} encoding 'UTF8' locale 'C.UTF-8' template template0`)
  const url = new URL(given)
  url.pathname = `/${name}`
  return url.href
}

const dropDatabase = (given: string, url: string) =>
  runSql(given, `drop database ${new URL(url).pathname.slice(1)} with (force)`)

const runSql = async (connectionString: string, text: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text)
  await client.end()
}

await main()
