import { execFile, execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import type { Tx } from '../src/db/database.ts'
import { toStatement } from '../src/db/sql.ts'

/** A value that differs from call to call: an expression of pgbench in place of a parameter. */
export type Varying = { expression: string }
/** As text, for the key of an object, it stands between two marks. */
export const varying = (expression: string) => ({ expression, toString: () => `«${expression}»` }) as unknown as string

type Recorded = { text: string; values: unknown[] }

/** The statements of functions of a `*.sql.ts` file, as text for pgbench. */
export const recordStatement = (send: (tx: Tx) => unknown): string => {
  let recorded: Recorded | undefined
  const record = (strings: TemplateStringsArray, ...values: unknown[]) => {
    recorded = toStatement(strings, values)
    // Has no answer to unwrap.
    return new Promise<never>(() => {})
  }
  send({ many: record, one: record, maybeOne: record, run: record } as unknown as Tx)
  if (recorded === undefined) throw new Error('nothing was sent')
  const { text, values } = recorded
  return text.replaceAll(/\$(\d+)/g, (_, number) => write(values[Number(number) - 1]))
}

const write = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? `'{}'` : `array[${value.map(write).join(', ')}]`
  if (typeof value === 'object') return (value as Varying).expression
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : writeText(String(value))
}

/** A text, in whose JSON something that varies may have been written, as a value or within a text. */
const writeText = (text: string): string => {
  const pieces = text.split(/\{"expression":("(?:[^"\\]|\\.)*")\}/)
  const written = pieces.map((piece, i) => (i % 2 ? `to_json(${JSON.parse(piece)})::text` : writeMarked(piece)))
  return written.length === 1 ? (written[0] as string) : `(${written.join(' || ')})`
}

const writeMarked = (text: string): string => {
  const pieces = text.split(/«(.*?)»/)
  if (pieces.length === 1) return quote(text)
  return `(${pieces.map((piece, i) => (i % 2 ? piece : quote(piece))).join(' || ')})`
}

/** pgbench reads a colon before a word as a variable, even in quotes; JSON allows the blank. */
const quote = (text: string) => `'${text.replaceAll("'", "''").replaceAll(':', ': ')}'`

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
