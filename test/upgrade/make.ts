import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { openEmbedded } from '../../src/db/embedded.ts'
import { readMigrations } from '../../src/db/migration-files.ts'
import { dumpRows, readLastMigration } from './dump.ts'
import { liveInShop, type Old } from './life.ts'

const help = `node test/upgrade/make.ts CHECKOUT

Makes test/upgrade/VERSION.openapi.json.gz, which later contracts are compared with, and test/upgrade/VERSION.sql and
test/upgrade/VERSION.json, the data that the upgrade test begins with, by running the version that CHECKOUT holds (git
worktree add CHECKOUT TAG, and npm ci in it). Shoppers and merchants use it through HTTP and the command line; then all
rows are written down, with the tokens that they hold. test/upgrade/checksums.json keeps the migrations from being
changed later. Run it once for a release, with the migrations that the release
had.`

/** The services of tests use the same secret, so they can read values signed and encrypted here. */
const secret = 'a secret for tests that is long enough to be one'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } })

const main = async ([checkout]: string[]) => {
  if (values.help || checkout === undefined) return void process.stdout.write(`${help}\n`)
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-upgrade-'))
  const database = await openEmbedded({ dataDir: join(folder, 'database'), role: 'service' })
  try {
    const { host, port, user, password, database: name } = database.connection
    const url = `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${name}`
    const old = await startOld(checkout, folder, url)
    const facts = await liveInShop(old).finally(old.stop)
    const target = (ending: string) => new URL(`${old.version}.${ending}`, import.meta.url)
    writeFileSync(target('sql'), await dumpRows(database.connection, old.version))
    const lastMigration = await readLastMigration(database.connection)
    writeFileSync(target('openapi.json.gz'), gzipSync(readFileSync(join(checkout, 'openapi.json')), { level: 9 }))
    writeFileSync(new URL('checksums.json', import.meta.url), listChecksums())
    writeFileSync(target('json'), `${JSON.stringify({ lastMigration, ...facts }, null, 2)}\n`)
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const listChecksums = () => {
  const checksums = readMigrations().map(({ name, checksum }) => [name, checksum])
  return `${JSON.stringify(Object.fromEntries(checksums), null, 2)}\n`
}

const startOld = async (checkout: string, folder: string, databaseUrl: string): Promise<Old> => {
  const program = join(checkout, 'src/main.ts')
  const port = await freePort()
  const dataDir = join(folder, 'data')
  mkdirSync(join(dataDir, 'files'), { recursive: true })
  const env: NodeJS.ProcessEnv = {
    ...{ PATH: process.env.PATH, PORT: String(port), DATABASE_URL: databaseUrl, VITRINE_DATA_DIR: dataDir },
    ...{ VITRINE_SECRET: secret, VITRINE_PUBLIC_URL: 'http://vitrine.test', LOG_LEVEL: 'error' },
  }
  const child = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/health`).catch(() => null))?.ok) await new Promise((resolve) => setTimeout(resolve, 100))
  const { version } = (await (await fetch(`${url}/health`)).json()) as { version: string }
  return {
    version,
    url,
    placeFile: (name, text) => writeFileSync(join(dataDir, 'files', name), text),
    codeFor: (phone) => output.match(new RegExp(`OTP for \\${phone} is (\\d+)`))?.[1] ?? '',
    run: (...args) => {
      const printed = execFileSync(process.execPath, [program, ...args, '--json'], { env, encoding: 'utf8' })
      return JSON.parse(printed)
    },
    importProducts: (storeId, products) => {
      const file = join(folder, 'products.json')
      writeFileSync(file, JSON.stringify(products))
      execFileSync(process.execPath, [program, 'catalog', 'import', file, '--store', storeId], { env })
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

await main(positionals)
