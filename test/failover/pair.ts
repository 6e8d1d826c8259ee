import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount, resolveDataPaths } from '../../src/db/embedded/data-dir.ts'
import { prepareRuntime } from '../../src/db/embedded/runtime.ts'
import { migrate } from '../../src/db/migrate.ts'
import { makeDatabase, runSql } from '../databases.ts'
import { sparePort } from '../redis.ts'

/** One of two PostgreSQL servers, made from the embedded binaries. */
export type TestServer = {
  url: string
  host: string
  start(): Promise<void>
  /** As when the machine fails: nothing is said to clients or to the other server. */
  kill(): Promise<void>
  /** Keeps its connections open and never answers. */
  freeze(): void
  thaw(): void
  promote(): Promise<void>
  run(sql: string): ReturnType<typeof runSql>
}

export type Pair = {
  primary: TestServer
  standby: TestServer
  /** Names both. */
  url: string
  /** Waits until the standby has everything that the primary has committed. */
  untilEqual(): Promise<void>
}

const database = 'shop'

/** A primary and a synchronous standby of it, with the tables of this version. */
export const pairFor = async (t: TestContext): Promise<Pair> => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-pair-'))
  const account = chooseAccount(resolveDataPaths(folder))
  if (account) chownSync(folder, account.uid, account.gid)
  const bin = join(prepareRuntime(folder, account).root, 'bin')
  const [first, second] = [join(folder, 'a'), join(folder, 'b')]
  const as = { ...account, cwd: folder }
  execFileSync(join(bin, 'initdb'), ['-D', first, '-U', 'vitrine', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...as,
    stdio: 'ignore',
  })
  // A copy of a server that has never run can follow it.
  execFileSync('cp', ['-Rp', first, second])
  const ports = [await sparePort(), await sparePort()] as const
  const follow = (data: string, port: number) => {
    const source = `host=127.0.0.1 port=${port} user=vitrine application_name=standby`
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    writeFileSync(join(data, 'standby.signal'), '')
  }
  follow(second, ports[0])

  const serve = (data: string, port: number): TestServer => {
    const url = `postgres://vitrine@127.0.0.1:${port}/${database}`
    const run = (sql: string) => runSql(url, sql)
    let child: ChildProcess | undefined
    const kill = async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    t.after(kill)
    return {
      ...{ url, host: `127.0.0.1:${port}`, run, kill },
      start: async () => {
        const log = openSync(join(folder, 'log'), 'a')
        const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=']
        const flags = settings.flatMap((setting) => ['-c', setting])
        child = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...as, stdio: ['ignore', log, log] })
        closeSync(log)
        await untilNoError(() => runSql(url.replace(database, 'postgres'), 'select 1'))
      },
      freeze: () => signalAll(child?.pid, 'SIGSTOP'),
      thaw: () => signalAll(child?.pid, 'SIGCONT'),
      promote: async () => {
        // No commit waits for the server that has failed.
        await run(`alter system set synchronous_standby_names = ''`)
        await run('select pg_promote()')
      },
    }
  }
  const [primary, standby] = [serve(first, ports[0]), serve(second, ports[1])]
  t.after(async () => {
    for (const server of [primary, standby]) await server.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  await primary.start()
  await standby.start()
  await makeDatabase(primary.url.replace(database, 'postgres'), database)
  await migrate({ connectionString: primary.url })
  const untilEqual = async () => {
    const [{ lsn }] = await primary.run('select pg_current_wal_lsn() as lsn')
    const isThere = async () =>
      (await standby.run(`select pg_last_wal_replay_lsn() >= '${lsn}' as "isThere"`))[0].isThere
    for (let tries = 0; !(await isThere()); tries++) {
      assert.ok(tries < 1_000, 'the standby does not follow')
      await sleep(10)
    }
  }
  await untilNoError(untilEqual)
  await primary.run(`alter system set synchronous_standby_names = '*'`)
  await primary.run('select pg_reload_conf()')
  return { primary, standby, url: primary.url.replace('/shop', `,${standby.host}/shop`), untilEqual }
}

/** Each connection has a process of its own, in a session of its own. */
const signalAll = (postmaster: number | undefined, signal: NodeJS.Signals) => {
  if (postmaster === undefined) return
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' })
  for (const pid of [postmaster, ...children.trim().split(/\s+/).map(Number)]) process.kill(pid, signal)
}

const untilNoError = async (attempt: () => Promise<unknown>) => {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries > 1_000) throw error
      await sleep(20)
    }
  }
}
