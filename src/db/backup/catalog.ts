import pg from 'pg'
import { connectOrExplain } from '../migrate.ts'
import type { BackupHead, SavedSequence, SavedTable } from './format.ts'

// Reads PostgreSQL's own catalog, so that a backup needs no list of tables that could become outdated.

export const listTables = async (client: pg.Client): Promise<SavedTable[]> => {
  const { rows } = await client.query<SavedTable>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname`)
  return rows
}

/** `last_value` is null until the first number is taken. Numbers are taken outside of transactions, so it may be newer. */
export const listSequences = async (client: pg.Client): Promise<SavedSequence[]> => {
  const { rows } = await client.query<SavedSequence>(`
    select sequencename as name, data_type::text as type, start_value::text as start,
      increment_by::text as increment, last_value::text as last
    from pg_sequences where schemaname = 'public' order by sequencename`)
  return rows
}

export const listMigrations = async (client: pg.Client): Promise<BackupHead['migrations']> => {
  const { rows } = await client.query<BackupHead['migrations'][number]>(
    'select number, name, checksum from vitrine_migration order by number',
  )
  return rows
}

/** Statements that remove what slows down or prevents loading, and statements that put it back. */
export type Scaffold = { before: string[]; after: string[] }

/**
 * Foreign keys, triggers, and indexes that belong to no constraint. The keys are checked for all rows when they are put
 * back. An owner may do all this; only a superuser may switch off the checks of foreign keys.
 */
export const planLoading = async (client: pg.Client): Promise<Scaffold> => {
  const { rows } = await client.query<{ before: string; after: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as before,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as after
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype <> 'f')
    union all
    select format('alter table %s disable trigger user', tgrelid::regclass),
      format('alter table %s enable trigger user', tgrelid::regclass)
    from pg_trigger where not tgisinternal group by tgrelid`)
  // Keys need the indexes of the rows that they refer to.
  const isKey = ({ before }: { before: string }) => before.includes(' drop constraint ')
  const ordered = [...rows.filter(isKey), ...rows.filter((row) => !isKey(row))]
  return { before: ordered.map(({ before }) => before), after: ordered.toReversed().map(({ after }) => after) }
}

/** `isEmpty`: not even tables. `hasRows`: more than the list of migrations. */
export const examineContent = async (connection: pg.ClientConfig): Promise<{ isEmpty: boolean; hasRows: boolean }> => {
  const client = await connectOrExplain(connection)
  try {
    const tables = await listTables(client)
    for (const { name } of tables.filter((table) => table.name !== 'vitrine_migration')) {
      const { rowCount } = await client.query(`select from ${pg.escapeIdentifier(name)} limit 1`)
      if (rowCount) return { isEmpty: false, hasRows: true }
    }
    return { isEmpty: tables.length === 0, hasRows: false }
  } finally {
    await client.end()
  }
}
