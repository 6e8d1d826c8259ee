import assert from 'node:assert/strict'
import pg from 'pg'
import { wireTypes } from '../../src/db/wire.ts'
import { findOuterColumns } from './outer-joins.ts'

/**
 * A column of a statement: its name, the value that `pg` makes of it, and whether it may be null: because its table
 * allows it, or because of an outer join. Of a computed column that is not known.
 */
export type Column = { name: string; value: Value; isNullable: boolean }

export type Value =
  | { kind: 'number' | 'string' | 'boolean' | 'Date' | 'Buffer' | 'json' }
  | { kind: 'array'; of: Value }

/** Asks the database for the columns of statements, which are parsed and never run. */
export const connectDescriber = async (connectionString: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const types = await readTypeNames(client)
  const nullable = await readNullableColumns(client)

  const describe = async (text: string): Promise<Column[]> => {
    const fields = await describeFields(client, text)
    const outer = await findOuterColumns(client, text)
    return fields.map(({ name, dataTypeID, tableID, columnID }, i) => ({
      name,
      value: valueOfType(dataTypeID, types),
      isNullable: nullable.has(`${tableID}.${columnID}`) || outer.has(i),
    }))
  }
  /** For a statement whose rows are not read: whether it is valid at all. */
  const parse = async (text: string) => void (await describeFields(client, text))
  return { describe, parse, close: () => client.end() }
}

/** The extended protocol's Parse and Describe, without Bind and Execute. */
const describeFields = (client: pg.Client, text: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<pg.FieldDef[]>()
  let fields: pg.FieldDef[] = []
  const request = {
    submit: (connection: pg.Connection) => {
      connection.parse({ name: '', text, types: [] }, false)
      connection.describe({ type: 'S', name: '' }, false)
      connection.sync()
    },
    handleParseComplete: () => {},
    handleRowDescription: (message: { fields: pg.FieldDef[] }) => {
      fields = message.fields
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(fields),
  }
  client.query(request)
  return promise
}

type TypeName = { name: string; elementOid: number }

const readTypeNames = async (client: pg.Client) => {
  const { rows } = await client.query<TypeName & { oid: number }>(
    `select oid::integer, typname as name, case when typcategory = 'A' then typelem else 0 end::integer as "elementOid"
     from pg_type`,
  )
  return new Map(rows.map(({ oid, ...type }) => [oid, type]))
}

/** Columns that were declared without `not null`, as `table.number`. */
const readNullableColumns = async (client: pg.Client) => {
  const { rows } = await client.query<{ place: string }>(
    `select attrelid::oid || '.' || attnum as place from pg_attribute where attnum > 0 and not attnotnull`,
  )
  return new Set(rows.map(({ place }) => place))
}

/** How a value of each type looks on the wire. */
const wireSamples: Record<string, string> = {
  bool: 't',
  bytea: '\\x00',
  date: '2026-01-01',
  float8: '1.5',
  int2: '1',
  int4: '1',
  int8: '1',
  json: '{}',
  jsonb: '{}',
  numeric: '1.5',
  text: 'x',
  timestamptz: '2026-01-01 00:00:00+00',
}

/** The JavaScript type that the parsers of a connection return, found by parsing a sample. */
const valueOfType = (oid: number, types: ReadonlyMap<number, TypeName>): Value => {
  const type = types.get(oid)
  const { name, elementOid } = type ?? { name: `${oid}`, elementOid: 0 }
  const sampled = elementOid === 0 ? name : types.get(elementOid)?.name
  const sample = wireSamples[sampled ?? '']
  assert.ok(sample !== undefined, `a column has the type ${name}: say in ${import.meta.filename} how it looks`)
  const parse = wireTypes.getTypeParser(oid, 'text')
  return toValue(parse(elementOid === 0 ? sample : `{${JSON.stringify(sample)}}`))
}

const toValue = (parsed: unknown): Value => {
  if (parsed instanceof Date) return { kind: 'Date' }
  if (Buffer.isBuffer(parsed)) return { kind: 'Buffer' }
  if (Array.isArray(parsed)) return { kind: 'array', of: toValue(parsed[0]) }
  const kind = typeof parsed
  return { kind: kind === 'number' || kind === 'string' || kind === 'boolean' ? kind : 'json' }
}
