import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './document-shop.ts'

/** A PostgreSQL as an operator has it: its tools, a port, and the rights of its superuser. */
export type SystemPostgres = { bin: string; port: number; env: Record<string, string> }

const tools = ['initdb', 'pg_ctl', 'psql', 'createdb', 'pg_dump', 'pg_restore']

/** The programs of the system and the user that may run them; null when some are missing. */
export const findSystemPostgres = () => {
  const bin = globSync('/usr/lib/postgresql/{15,16,17,18}/bin').find((folder) =>
    tools.every((tool) => existsSync(join(folder, tool))),
  )
  const owner = ownerOfServer()
  return bin === undefined || owner === null ? null : { bin, owner }
}

/** Made for one test from the programs that the system has; null when it lacks some of them. */
export const startPostgres = async (t: TestContext): Promise<SystemPostgres | null> => {
  const system = findSystemPostgres()
  if (system === null) return null
  const { bin, owner } = system
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  chmodSync(folder, 0o755)
  if (owner.uid !== process.getuid?.()) chownSync(data, owner.uid, owner.gid)
  const run = (tool: string, ...args: string[]) =>
    execFileSync(join(bin, tool), args, { ...owner, cwd: folder, stdio: 'ignore', env: { LC_ALL: 'C.UTF-8' } })
  const port = await freePort()
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync')
  const options = `-p ${port} -k ${data} -c listen_addresses=127.0.0.1 -c fsync=off`
  run('pg_ctl', '-D', data, '-l', join(data, 'log'), '-w', '-o', options, 'start')
  t.after(() => {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
    rmSync(folder, { recursive: true, force: true })
  })
  return { bin, port, env: { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres' } }
}

/** PostgreSQL refuses root, which becomes the user that the system's package made; null without one. */
const ownerOfServer = (): { uid: number; gid: number } | null => {
  const uid = process.getuid?.() ?? 0
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? uid }
  try {
    const idOf = (kind: string) =>
      Number(execFileSync('id', [kind, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }))
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return null
  }
}
