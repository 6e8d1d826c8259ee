import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { OperatorError } from '../../core/operator-error.ts'
import { connectOrExplain, examineSchema, holdMigrations } from '../migrate.ts'
import { listMigrations, listSequences, listTables } from './catalog.ts'
import { type BackupHead, type SavedTable, tableEntry } from './format.ts'
import type { ArchiveWriter } from './write-archive.ts'

const entryBytes = 4 * 1024 * 1024

export type DatabaseSnapshot = Pick<BackupHead, 'migrations' | 'tables' | 'sequences' | 'postgres'> & {
  /** Copies all tables and returns their numbers of rows. */
  copyTables(archive: ArchiveWriter): Promise<Record<string, number>>
  close(): Promise<void>
}

/**
 * Everything that is read later is as it was at this moment, whatever is committed meanwhile. Writers are not held up;
 * only a migration waits.
 */
export const takeSnapshot = async (connection: pg.ClientConfig): Promise<DatabaseSnapshot> => {
  const release = await holdMigrations(connection)
  const client = await connectOrExplain({ application_name: 'vitrine backup', ...connection })
  const close = async () => {
    await client.end()
    await release()
  }
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('begin isolation level repeatable read, read only')
    if ((await examineSchema(client)).isEmpty) throw new OperatorError('There are no tables in this database yet.')
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    const [migrations, tables] = [await listMigrations(client), await listTables(client)]
    return {
      ...{ migrations, tables, postgres: rows[0]?.server_version ?? '' },
      // After the snapshot, so that a number in a row is never ahead of its sequence.
      sequences: await listSequences(client),
      copyTables: async (archive) => {
        const counts: Record<string, number> = {}
        for (const table of tables) counts[table.name] = await copyTable(client, table, archive)
        return counts
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** As text, which every version and machine reads. */
const copyTable = async (client: pg.Client, table: SavedTable, archive: ArchiveWriter) => {
  const stream = client.query(copyTo(`copy ${describeColumns(table)} to stdout`))
  let waiting: Buffer[] = []
  let size = 0
  let part = 0
  const flush = async () => {
    await archive.add(tableEntry(table.name, ++part), Buffer.concat(waiting))
    waiting = []
    size = 0
  }
  for await (const chunk of stream) {
    waiting.push(chunk)
    size += chunk.length
    if (size >= entryBytes) await flush()
  }
  if (size > 0) await flush()
  return stream.rowCount
}

export const describeColumns = ({ name, columns }: SavedTable) =>
  `${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')})`
