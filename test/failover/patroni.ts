import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount, resolveDataPaths } from '../../src/db/embedded/data-dir.ts'
import { runSql } from '../databases.ts'
import { sparePort } from '../redis.ts'

/** PostgreSQL of Debian, two servers of it, managed by Patroni with etcd, and HAProxy in front of them. */
const binaries = '/usr/lib/postgresql/15/bin'

export const lacksPatroni = () =>
  [
    ['patroni', '--version'],
    ['etcd', '--version'],
    ['haproxy', '-v'],
    [`${binaries}/postgres`, '--version'],
  ].some(([file = '', flag = '']) => spawnSync(file, [flag]).error !== undefined)

type Member = { name: string; port: number; restPort: number; data: string; url: string }

export type ManagedCluster = {
  /** Names both servers. */
  bothUrl: string
  /** Leads to the primary through HAProxy. */
  proxyUrl: string
  /** Kills the postmaster of the primary, and returns which one it was. */
  killPrimary(): Promise<string>
  /** Resolves with the member that accepts writes: the other one, or the same if the manager has restarted it first. */
  untilPrimary(): Promise<string>
  /** Resolves when commits wait for a standby, and the manager knows that it may be promoted. */
  untilSynchronous(): Promise<void>
}

export const managedClusterFor = async (t: TestContext): Promise<ManagedCluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-patroni-'))
  const account = chooseAccount(resolveDataPaths(folder))
  if (account) chownSync(folder, account.uid, account.gid)
  const running: ChildProcess[] = []
  t.after(async () => {
    for (const child of running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const run = (file: string, args: string[], env: Record<string, string> = {}) => {
    const log = openSync(join(folder, 'log'), 'a')
    const options = { ...account, cwd: folder, env: { PATH: process.env.PATH, ...env } }
    running.push(spawn(file, args, { ...options, stdio: ['ignore', log, log] }))
    closeSync(log)
  }
  const [etcdPort, etcdPeerPort, proxyPort] = [await sparePort(), await sparePort(), await sparePort()]
  const etcd = `http://127.0.0.1:${etcdPort}`
  const etcdOptions = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': etcd,
    'advertise-client-urls': etcd,
    'listen-peer-urls': `http://127.0.0.1:${etcdPeerPort}`,
    'unsafe-no-fsync': 'true',
  }
  // The variable is needed on processors other than x86-64.
  const arch = { ETCD_UNSUPPORTED_ARCH: process.arch }
  run(
    'etcd',
    Object.entries(etcdOptions).map(([name, value]) => `--${name}=${value}`),
    arch,
  )

  const members: Member[] = []
  for (const name of ['a', 'b']) {
    const [port, restPort] = [await sparePort(), await sparePort()]
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    members.push({ name, port, restPort, url, data: join(folder, name) })
  }
  for (const member of members) {
    const file = join(folder, `${member.name}.yml`)
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settingsOf(member, etcdPort, folder)))
    run('patroni', [file])
  }
  const proxyFile = join(folder, 'haproxy.cfg')
  writeFileSync(proxyFile, proxySettings(proxyPort, members))
  run('haproxy', ['-db', '-f', proxyFile])

  const isPrimary = async ({ url }: Member) => {
    try {
      return !(await runSql(url, 'select pg_is_in_recovery() as standby'))[0].standby
    } catch {
      return false
    }
  }
  const findPrimary = async () => {
    for (const member of members) if (await isPrimary(member)) return member
    return undefined
  }
  const until = async (what: string, holds: () => Promise<unknown>) => {
    for (const deadline = Date.now() + 90_000; !(await holds()); await sleep(25)) {
      assert.ok(Date.now() < deadline, `${what}\n${readFileSync(join(folder, 'log'), 'utf8').slice(-5_000)}`)
    }
  }
  const hasStandby = async () => {
    const primary = await findPrimary()
    if (primary === undefined) return false
    const asked = `select from pg_stat_replication where sync_state = 'sync' and current_setting('synchronous_standby_names') <> ''`
    if ((await runSql(primary.url, asked).catch(() => [])).length !== 1) return false
    const seen = await fetch(`http://127.0.0.1:${primary.restPort}/cluster`).catch(() => undefined)
    return (await seen?.text())?.includes('"sync_standby"')
  }
  const untilSynchronous = () => until('there is no synchronous standby', hasStandby)
  await untilSynchronous()
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    bothUrl: `postgres://postgres@${hosts}/postgres`,
    proxyUrl: `postgres://postgres@127.0.0.1:${proxyPort}/postgres`,
    killPrimary: async () => {
      const primary = await findPrimary()
      assert.ok(primary, 'there is no primary')
      process.kill(Number.parseInt(readFileSync(join(primary.data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      return primary.name
    },
    untilPrimary: async () => {
      let primary: Member | undefined
      await until('no server accepts writes', async () => {
        primary = await findPrimary()
        return primary !== undefined
      })
      return primary?.name ?? ''
    },
    untilSynchronous,
  }
}

const settingsOf = ({ name, port, restPort, data }: Member, etcdPort: number, folder: string) => ({
  scope: 'shop',
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ...{ ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
      // The standby takes over at once, instead of waiting for the crashed server.
      ...{ master_start_timeout: 0, primary_start_timeout: 0 },
      postgresql: { use_pg_rewind: true, use_slots: true, parameters: { wal_log_hints: 'on', wal_keep_size: '256MB' } },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
  },
  postgresql: {
    ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, bin_dir: binaries },
    ...{ remove_data_directory_on_rewind_failure: true, remove_data_directory_on_diverged_timelines: true },
    pgpass: join(folder, `pgpass-${name}`),
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
    pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    parameters: { unix_socket_directories: folder },
  },
})

const proxySettings = (port: number, members: readonly Member[]) =>
  `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map((member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}\n`).join('')}`
