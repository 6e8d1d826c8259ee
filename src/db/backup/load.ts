import { finished } from 'node:stream/promises'
import pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { OperatorError } from '../../core/operator-error.ts'
import { connectOrExplain, migrate } from '../migrate.ts'
import { readMigrations } from '../migration-files.ts'
import { listTables, planLoading } from './catalog.ts'
import { describeColumns } from './dump.ts'
import { type BackupHead, type OnProgress, type SavedSequence, tableOfEntry } from './format.ts'
import { readEntries, type VerifiedBackup } from './read-archive.ts'

/** Refuses a backup of a newer version, or of a version with other migrations. */
export const refuseForeignBackup = ({ migrations, version }: BackupHead, path: string) => {
  const known = readMigrations()
  const last = migrations.at(-1)?.number ?? 0
  if (last > (known.at(-1)?.number ?? 0)) {
    throw new OperatorError(
      `${path} was made by a newer Vitrine, ${version}: restore it with that version or a later one.`,
    )
  }
  const expected = known.filter(({ number }) => number <= last)
  const fits =
    expected.length === migrations.length &&
    expected.every(({ number, checksum }, i) => {
      const saved = migrations[i]
      return saved?.number === number && saved.checksum === checksum
    })
  if (!fits)
    throw new OperatorError(`${path} was made by Vitrine ${version} with migrations that this version does not have.`)
}

/**
 * Fills an empty database: the schema that the backup was made with, its rows, then the migrations that came later.
 * Returns the names of these.
 */
export const loadBackup = async (
  connection: pg.ClientConfig,
  { path, head, index }: VerifiedBackup,
  onProgress: OnProgress,
): Promise<string[]> => {
  const newest = head.migrations.at(-1)?.number ?? 0
  await migrate(connection, { migrations: readMigrations().filter(({ number }) => number <= newest) })
  const client = await connectOrExplain({ application_name: 'vitrine restore', ...connection })
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('begin')
    const tables = await listTables(client)
    if (JSON.stringify(tables) !== JSON.stringify(head.tables)) {
      throw new OperatorError(`The tables in ${path} are not those of its migrations.`)
    }
    const { before, after } = await planLoading(client)
    for (const statement of before) await client.query(statement)
    await client.query(`truncate ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`)
    const counts = await copyRows(client, path, head, onProgress)
    for (const { name } of tables) {
      if ((counts[name] ?? 0) === index.rows[name]) continue
      throw new OperatorError(`${path} is damaged: ${name} has ${counts[name]} rows instead of ${index.rows[name]}.`)
    }
    for (const sequence of head.sequences) await restoreSequence(client, sequence)
    for (const [i, statement] of after.entries()) {
      onProgress(`index ${i + 1} of ${after.length}`, 0)
      await client.query(statement)
    }
    await client.query('commit')
    const applied = await migrate(connection)
    await client.query('vacuum (freeze, analyze)')
    return applied
  } finally {
    await client.end()
  }
}

/** The entries of a table follow one another. */
const copyRows = async (client: pg.Client, path: string, { tables }: BackupHead, onProgress: OnProgress) => {
  const counts: Record<string, number> = {}
  let open: { name: string; stream: CopyStreamQuery } | undefined
  let bytes = 0
  const finish = async () => {
    if (open === undefined) return
    open.stream.end()
    await finished(open.stream)
    counts[open.name] = open.stream.rowCount
    open = undefined
  }
  for await (const { name, content } of readEntries(path)) {
    const table = tables.find((each) => each.name === tableOfEntry(name))
    if (open?.name !== table?.name) await finish()
    if (table !== undefined) {
      open ??= { name: table.name, stream: client.query(copyFrom(`copy ${describeColumns(table)} from stdin`)) }
    }
    for await (const chunk of content) {
      bytes += chunk.length
      if (open === undefined) continue
      onProgress(open.name, bytes)
      await write(open.stream, chunk)
    }
  }
  await finish()
  return counts
}

const write = (stream: CopyStreamQuery, chunk: Uint8Array) =>
  new Promise<void>((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()))
  })

/** Most come from migrations, but each store has one for its orders, which a trigger makes. */
const restoreSequence = async (client: pg.Client, { name, type, start, increment, last }: SavedSequence) => {
  const quoted = pg.escapeIdentifier(name)
  await client.query(`create sequence if not exists ${quoted} as ${type} start ${start} increment ${increment}`)
  if (last !== null) await client.query('select setval($1::regclass, $2)', [quoted, last])
}
