import { databaseUser, readClusterMajor } from './embedded/cluster.ts'
import { chooseAccount, prepareDataDir, resolveDataPaths } from './embedded/data-dir.ts'
import { type Host, joinServer } from './embedded/join.ts'
import { keepServer } from './embedded/keep.ts'
import { type Binaries, readRuntimeVersion } from './embedded/runtime.ts'
import { findPostmaster } from './embedded/server.ts'
import { databaseName, type Role } from './embedded/session.ts'

export type EmbeddedOptions = {
  dataDir: string
  /** A service has the folder to itself. A guest uses the running server, or runs one for as long as it needs it. */
  role: Role
  log?: (line: string) => void
  /** Told when the server died and was started again, and when it is given up. */
  onUnexpectedExit?: (message: string) => void
  /** Where else to take the binaries from and to keep copies of them, for tests and packagers. */
  binaries?: Binaries
}

export type EmbeddedServer = {
  /**
   * Fields for pg.Pool and not a URL, because the host is a folder and URLs that hold one need care with every driver.
   */
  connection: { host: string; port: number; user: string; password: string; database: string }
  /** True when another process had started the server. */
  adopted: boolean
  /** Ends our use of the server. The last user turns it off. */
  stop(): Promise<void>
}

/** Runs PostgreSQL for this data folder, or joins the one that runs, and keeps it running until `stop`. */
export const openEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedServer> => {
  const paths = resolveDataPaths(options.dataDir)
  await prepareDataDir(paths)
  const { role, binaries = {}, log = () => {}, onUnexpectedExit = () => {} } = options
  const host: Host = { paths, account: chooseAccount(paths), role, binaries, log }
  const joined = await joinServer(host)
  const { socketDir, port } = joined.server
  return {
    connection: { host: socketDir, port, user: databaseUser, password: joined.password, database: databaseName },
    adopted: joined.spawned === undefined,
    stop: keepServer(host, joined, onUnexpectedExit),
  }
}

/** What `doctor` shows about a data folder. Nothing is started or changed. */
export const inspectEmbedded = async (dataDir: string, binaries: Binaries = {}) => {
  const paths = resolveDataPaths(dataDir)
  const clusterMajor = await readClusterMajor(paths)
  return {
    clusterDir: paths.cluster,
    logFile: paths.logFile,
    clusterMajor,
    packageVersion: readRuntimeVersion(binaries),
    serverPid: clusterMajor === undefined ? undefined : findPostmaster(paths.cluster)?.pid,
  }
}
