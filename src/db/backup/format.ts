import Type, { type Static } from 'typebox'

/** The version of the archive. A reader refuses one that it does not know. */
export const backupFormat = 1

/** The first entry and the last one. All others are in the index. */
export const headName = 'vitrine-backup.json'
export const indexName = 'index.json'

const Table = Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) })

const AppliedMigration = Type.Object({ number: Type.Integer(), name: Type.String(), checksum: Type.String() })

const Sequence = Type.Object({
  name: Type.String(),
  type: Type.Enum(['smallint', 'integer', 'bigint']),
  start: Type.String({ pattern: '^-?\\d+$' }),
  increment: Type.String({ pattern: '^-?\\d+$' }),
  /** Null when no number was taken yet. */
  last: Type.Union([Type.String({ pattern: '^-?\\d+$' }), Type.Null()]),
})

/** What a backup holds besides the database. */
export const backupParts = ['files', 'media', 'secret', 'demo.json'] as const
export type BackupPart = (typeof backupParts)[number]

export const BackupHead = Type.Object({
  format: Type.Integer(),
  version: Type.String(),
  madeAt: Type.String(),
  postgres: Type.String(),
  migrations: Type.Array(AppliedMigration, { minItems: 1 }),
  tables: Type.Array(Table, { minItems: 1 }),
  sequences: Type.Array(Sequence),
  parts: Type.Array(Type.Enum([...backupParts])),
  /** Recognises the secrets that encrypt values in the database, without showing them. */
  secretPrints: Type.Array(Type.String()),
})
export type BackupHead = Static<typeof BackupHead>
export type SavedTable = Static<typeof Table>
export type SavedSequence = Static<typeof Sequence>

export const BackupIndex = Type.Object({
  entries: Type.Array(Type.Object({ name: Type.String(), size: Type.Integer(), sha256: Type.String() })),
  rows: Type.Record(Type.String(), Type.Integer()),
})
export type BackupIndex = Static<typeof BackupIndex>

/** A table is in several entries, because an archive needs the size of an entry before its content. */
export const tableEntry = (table: string, part: number) => `tables/${table}/${String(part).padStart(6, '0')}`

/** The name of the table of an entry, or null. */
export const tableOfEntry = (name: string) => /^tables\/([^/]+)\/\d+$/.exec(name)?.[1] ?? null

/** Progress for people: what is done now, and how many bytes of content were processed so far. */
export type OnProgress = (step: string, bytes: number) => void
