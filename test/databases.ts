import pg from 'pg'
import { setUpServers } from '../src/db/distribute.ts'
import type { DbConnection } from '../src/db/options.ts'

/** Databases that tests create on the server of the run. */
type Source = { template?: string }

export const makeDatabase = async (server: string, name: string, { template = 'template0' }: Source = {}) => {
  for (const url of [server, ...(await otherServers(server))]) await createDatabase(url, name, template)
  const url = withDatabaseName(server, name)
  if (cluster !== undefined && template !== 'template0') await withClient(url, setUpServers)
  return url
}

/** Copying the files takes a third of the processor time of the default, which logs every page of the template. */
const createDatabase = (server: string, name: string, template: string) =>
  runSql(server, `create database ${name} encoding 'UTF8' locale 'C.UTF-8' template ${template} strategy file_copy`)

/** Citus keeps a connection to each of its databases, and one that anything is connected to cannot be copied. */
export const closeTemplate = async (server: string, name: string) => {
  for (const url of [server, ...(await otherServers(server))]) {
    await runSql(url, `alter database ${name} with allow_connections false`)
    await runSql(
      url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = '${name}' and application_name ilike 'citus%'`,
    )
  }
}

export const dropDatabase = async (server: string, name: string) => {
  for (const url of [server, ...(await otherServers(server))])
    await runSql(url, `drop database if exists ${name} with (force)`)
}

/** A database of a Citus cluster, on whose servers the tests make distributed databases. */
const cluster = process.env.CITUS_DATABASE_URL

type Place = { host: string; port: number }

const otherServers = async (server: string): Promise<string[]> => {
  if (cluster === undefined) return []
  const places: Place[] = await runSql(
    cluster,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by nodeid',
  )
  return places.map(({ host, port }) => {
    const url = new URL(server)
    url.host = `${host}:${port}`
    return url.href
  })
}

/** Makes the same servers known in a database that is yet to be distributed. */
export const joinServers = async (url: string) => {
  const here = new URL(url)
  for (const other of [url, ...(await otherServers(url))])
    await runSql(withDatabaseName(other, here.pathname.slice(1)), 'create extension citus')
  await runSql(url, `select citus_set_coordinator_host('${here.hostname}', ${here.port})`)
  for (const { hostname, port } of (await otherServers(url)).map((other) => new URL(other)))
    await runSql(url, `select citus_add_node('${hostname}', ${port})`)
}

/** Drops the database of a run and all that were made beside it. */
export const dropDatabases = async (server: string, name: string) => {
  for (const { datname } of await runSql(
    server,
    `select datname from pg_database where starts_with(datname, '${name}')`,
  ))
    await dropDatabase(server, datname)
}

/** The migrated database that test/run.ts makes for copies. Copying fails while anything is connected to it. */
export const templateOf = (name: string) => `${name}_template`

let made = 0

/** A database for one test or file, copied from the template of the run (`url`), which saves half a second of migrating. */
export const makeBeside = async (url: string, { migrated = true } = {}) => {
  const run = databaseName.exec(url)?.[1] ?? ''
  const name = `${run}_${process.pid}_${made++}`
  const own = await makeDatabase(url, name, migrated ? { template: templateOf(run) } : {})
  return { url: own, drop: () => dropDatabase(url, name) }
}

/** Not parsed with `URL`, which does not accept a folder as the host. */
const databaseName = /(?<=\/\/[^/]*\/)([^/?]*)(?=\?|$)/
export const withDatabaseName = (url: string, name: string) =>
  databaseName.test(url) ? url.replace(databaseName, name) : `${url}/${name}`

/**
 * How a service connects to a database of the run: through the pooler, if there is one (test/run.ts). Everything else in
 * the tests needs a session of its own and connects directly: listeners, locks, settings, and creating databases.
 */
export const connectionTo = (url: string): DbConnection => {
  const { TEST_POOLER: pooler, DATABASE_PREPARE: prepare } = process.env
  const connectionString = pooler === undefined ? url : withDatabaseName(pooler, databaseName.exec(url)?.[1] ?? '')
  return { connectionString, prepare: prepare !== 'off', isPooler: pooler !== undefined }
}

export const runSql = (connectionString: string, text: string) =>
  withClient(connectionString, async (client) => (await client.query(text)).rows)

const withClient = async <Result>(connectionString: string, work: (client: pg.Client) => Promise<Result>) => {
  const client = new pg.Client({ connectionString })
  // A server that stops fails the query. Without this listener it would also end the test.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
