import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** How a migration is applied (decision 0051). */
export type MigrationKind = 'in a transaction' | 'concurrently' | 'in batches'

export type Migration = {
  number: number
  name: string
  text: string
  checksum: string
  /** The oldest version that works beside this migration. Undefined if the file does not say it: none does. */
  oldestVersion: string | undefined
  runs: MigrationKind
}

const folder = new URL('./migrations/', import.meta.url)

export const readMigrations = (): Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readMigration(file, readFileSync(new URL(file, folder), 'utf8')))

/** The first lines of a file say what it is: `-- oldest version beside: 0.2.0` and `-- runs: in batches`. */
export const readMigration = (name: string, text: string): Migration => {
  const number = Number.parseInt(name, 10)
  return {
    ...{ number, name, text, checksum: hash('sha256', text, 'hex') },
    oldestVersion: /^-- oldest version beside: (\d+\.\d+\.\d+)$/m.exec(text)?.[1] ?? declaredHere(number),
    runs: readKind(name, text),
  }
}

/** Written before migrations said it. Their text must stay as it was applied. */
const lastWithoutLine = 34

const declaredHere = (number: number) => (number <= lastWithoutLine ? '0.2.0' : undefined)

const kinds: readonly MigrationKind[] = ['in a transaction', 'concurrently', 'in batches']

const readKind = (name: string, text: string): MigrationKind => {
  const [, written = 'in a transaction'] = /^-- runs: (.*)$/m.exec(text) ?? []
  const kind = kinds.find((known) => known === written)
  if (kind === undefined) throw new Error(`${name} runs "${written}", which is none of: ${kinds.join(', ')}`)
  return kind
}

/** The statements of a file, each ended by a semicolon at the end of a line, outside of the body of a function. */
export const splitStatements = (text: string): string[] => {
  const statements: string[] = []
  let open = ''
  for (const line of text.split('\n').filter((one) => !one.startsWith('--'))) {
    open += `${line}\n`
    const isInBody = open.split('$$').length % 2 === 0 || (/^begin atomic$/m.test(open) && line !== 'end;')
    if (!line.endsWith(';') || isInBody) continue
    statements.push(open.trim().slice(0, -1))
    open = ''
  }
  return [...statements, open.trim()].filter((statement) => statement !== '')
}
