import { existsSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { openEmbedded } from '../../src/db/embedded.ts'
import { findServer, readProcessorTimes } from '../buying-cpu.ts'
import { newDataDir, removeDataDir } from '../service.ts'
import type { PeerName } from './arguments.ts'

/** The PostgreSQL server that all three use. */
export type PeerServer = {
  description: string
  /** The database of a product at this size of its catalog. `isFull` says that an earlier run has filled it. */
  openDatabase(name: PeerName, products: number): Promise<PeerDatabase>
  /** Seconds of processor time, of a process and of the server; `undefined` where the server is on another machine. */
  readTimes(pid: number): { node: number; database: number | undefined }
  close(): Promise<void>
}

export type PeerDatabase = {
  url: string
  isFull: boolean
  query(text: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>
  /** To be called when the catalog is complete. `note` is what a later run must know of it. */
  markFull(note: string): Promise<void>
  readNote(): Promise<string>
}

export const openPeerServer = async (
  keep: string | undefined,
  given = process.env.DATABASE_URL,
): Promise<PeerServer> =>
  given === undefined ? openOwnServer(keep) : makeServer(given, keep !== undefined, async () => {})

const openOwnServer = async (keep: string | undefined) => {
  const dataDir = keep ?? newDataDir()
  const server = await openEmbedded({ dataDir, role: 'command' })
  const { host, port, user, password, database } = server.connection
  const url = `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`
  return makeServer(url, keep !== undefined, async () => {
    await server.stop()
    if (keep === undefined) removeDataDir(dataDir)
  })
}

const makeServer = async (url: string, keeps: boolean, close: () => Promise<void>): Promise<PeerServer> => {
  const [version] = await runSql(url, `select current_setting('server_version') as version`)
  const serverPid = await findLocalServer(url)
  const made: string[] = []
  return {
    description: `PostgreSQL ${String(version?.version).split(' ')[0]}`,
    openDatabase: async (name, products) => {
      const lasting = `bench_peers_${name}_${products}`
      const database = keeps ? lasting : `${lasting}_${process.pid}`
      if (!keeps) made.push(database)
      return openDatabase(url, database)
    },
    readTimes: (pid) => {
      const { service, database } = readProcessorTimes(pid, serverPid ?? pid)
      return { node: service, database: serverPid === undefined ? undefined : database }
    },
    close: async () => {
      try {
        for (const database of made) await runSql(url, `drop database if exists ${database} with (force)`)
      } finally {
        await close()
      }
    },
  }
}

/** A run that was ended while it filled a database leaves it without the mark, and the next one begins again. */
const openDatabase = async (server: string, name: string): Promise<PeerDatabase> => {
  const url = new URL(server)
  url.pathname = `/${name}`
  const query = (text: string, parameters: unknown[] = []) => runSql(url.href, text, parameters)
  const [found] = await runSql(server, 'select from pg_database where datname = $1', [name])
  const [mark] = found === undefined ? [] : await query(`select to_regclass('bench_peers.filled') is not null as full`)
  const isFull = mark?.full === true
  if (!isFull) {
    await runSql(server, `drop database if exists ${name} with (force)`)
    await runSql(server, `create database ${name} encoding 'UTF8' locale 'C.UTF-8' template template0`)
  }
  return {
    url: url.href,
    isFull,
    query,
    markFull: async (note) => {
      // Statistics as a database has them after a minute of use.
      await query('vacuum analyze')
      await query('create schema bench_peers')
      await query('create table bench_peers.filled (note text not null)')
      await query('insert into bench_peers.filled values ($1)', [note])
    },
    readNote: async () => String((await query('select note from bench_peers.filled'))[0]?.note),
  }
}

const runSql = async (url: string, text: string, parameters: unknown[] = []) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, parameters)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

/** `undefined` if the server is not on this machine, where its processor time cannot be read. */
const findLocalServer = async (url: string) => {
  const pid = await findServer({ connectionString: url }).catch(() => undefined)
  const names = pid === undefined ? '' : `/proc/${pid}/comm`
  return existsSync(names) && readFileSync(names, 'utf8').startsWith('postgres') ? pid : undefined
}
