import { execFile, execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import type { Recording } from './record-requests.ts'

/** Texts of recorded values that differ from transaction to transaction, each with an expression of pgbench in its place. */
export type Varying = ReadonlyMap<string, string>

/**
 * A recorded request, statement by statement, as text for pgbench. IDs and hashes that are not in `varying` are those of new
 * rows: they are made of `fresh`, an expression with another value in each transaction.
 */
export const writeStatements = (recording: Recording, known: Varying, fresh: string): string[] => {
  const parts = partsOf(known.keys())
  const others = JSON.stringify(recording.map(({ values }) => values)).split(parts)
  const ids = new Set(others.flatMap((text) => (known.has(text) ? [] : (text.match(newIdOrHash) ?? []))))
  const varying = new Map([...known, ...[...ids].map((id, i): [string, string] => [id, `(${fresh}::text || '_${i}')`])])
  return recording.map((sent) => writeStatement(sent, varying))
}

/** The part of an ID that differs, and a hash of SHA-256. The store is not new. */
const newIdOrHash = /(?<=\b(?!store)[a-z]{2,5}_)[0-9a-z]{22,26}\b|(?<=")[\w-]{43}(?=")/g

const partsOf = (keys: Iterable<string>) => new RegExp(`(${[...keys].map(RegExp.escape).join('|')})`)

const writeStatement = ({ text, values }: Recording[number], varying: Varying) => {
  const parts = partsOf(varying.keys())
  const write = (value: unknown): string => {
    if (value === null || value === undefined) return 'null'
    if (value instanceof Date) return quote(value.toISOString())
    if (Array.isArray(value)) return value.length === 0 ? `'{}'` : `array[${value.map(write).join(', ')}]`
    if (typeof value === 'object') return write(JSON.stringify(value))
    if (typeof value !== 'string') return varying.get(String(value)) ?? String(value)
    const pieces = value.split(parts).filter((piece) => piece !== '')
    const written = pieces.map((piece) => varying.get(piece) ?? quote(piece))
    if (written.length === 0) return `''`
    if (written.length === 1) return written[0] as string
    // What is put together has a type, and a column of JSON takes no text.
    const type = value.startsWith('{') ? 'json' : 'text'
    return `(${written.map((piece) => `${piece}::text`).join(' || ')})::${type}`
  }
  return text.replaceAll(/\$(\d+)/g, (_, n) => write(values[Number(n) - 1]))
}

/** pgbench reads a colon before a word as a variable, even in quotes; JSON allows the blank. */
const quote = (text: string) => `'${text.replaceAll("'", "''").replaceAll(/:(?=[A-Za-z_])/g, ': ')}'`

const find = () => {
  try {
    return execFileSync('which', ['pgbench'], { encoding: 'utf8' }).trim()
  } catch {
    const [path] = globSync('/usr/lib/postgresql/*/bin/pgbench')
    if (path === undefined)
      throw new Error('These benchmarks compare with pgbench, which is not here: apt-get install postgresql-contrib')
    return path
  }
}

/** `variables` of the script, in which an absent one is null. `settings` of its sessions, as in PGOPTIONS. */
type PgbenchRun = {
  folder: string
  clients: number
  variables?: Record<string, string>
  settings?: string
} & ({ seconds: number } | { each: number })

/** Transactions per second of a script with pgbench: for a time, or a number per client. */
export const runPgbench = async (
  { host, port, user, password, database }: pg.ClientConfig,
  script: string,
  { folder, clients, variables = {}, settings = '', ...length }: PgbenchRun,
): Promise<{ rate: number; ms: number }> => {
  const file = join(folder, 'pgbench.sql')
  writeFileSync(file, script)
  const { stdout } = await promisify(execFile)(
    find(),
    // `turn` counts the transactions of a client, for scripts that must not repeat themselves.
    [
      ...['-n', '-M', 'prepared', '-f', file, '-D', 'turn=0'],
      ...['-c', String(clients), '-j', '1'],
      ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
      ...('each' in length ? ['-t', String(length.each)] : ['-T', String(length.seconds)]),
      String(database),
    ],
    {
      env: {
        ...{ ...process.env, PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: String(password) },
        PGOPTIONS: settings,
      },
    },
  ).catch(({ stderr }) => {
    // Without the variables, which can be thousands.
    throw new Error(`pgbench failed: ${stderr}`)
  })
  return {
    rate: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
    ms: Number(/latency average = ([\d.]+)/.exec(stdout)?.[1]),
  }
}
