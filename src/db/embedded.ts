import { databaseUser, readClusterMajor } from './embedded/cluster.ts'
import { chooseAccount, prepareDataDir, resolveDataPaths } from './embedded/data-dir.ts'
import { type Host, joinServer } from './embedded/join.ts'
import { type Binaries, readRuntimeVersion } from './embedded/runtime.ts'
import { findPostmaster } from './embedded/server.ts'
import { databaseName, type Role } from './embedded/session.ts'
import { superviseServer } from './embedded/supervise.ts'

export type EmbeddedOptions = {
  dataDir: string
  /** A service has the folder to itself. A command uses the running server, or starts one for as long as it needs it. */
  role: Role
  log?: (line: string) => void
  /** Called when the server has crashed and was restarted, and when it crashes so often that its restart has to wait. */
  onUnexpectedExit?: (message: string) => void
  /** Other folders for the binaries and their copies, for tests and packagers. */
  binaries?: Binaries
}

export type EmbeddedServer = {
  /**
   * Fields for pg.Pool instead of a URL, because the host is a folder, which drivers encode differently in URLs.
   */
  connection: { host: string; port: number; user: string; password: string; database: string }
  /** True when another process had started the server. */
  adopted: boolean
  /** Ends our use of the server. The last user shuts it down. */
  stop(): Promise<void>
}

/** Starts PostgreSQL for this data folder, or joins the running one, and keeps it running until `stop`. */
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
    stop: superviseServer(host, joined, onUnexpectedExit),
  }
}

/** For `doctor`: describes a data folder without starting or changing anything. */
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
