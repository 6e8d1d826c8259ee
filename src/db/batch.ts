import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import { wireTypes } from './wire.ts'

/** A statement with a name is prepared once per connection. */
export type SentStatement = { text: string; values?: unknown[] | undefined; name?: string | undefined }

/** Rows have no type here: `database.ts` gives them one. */
export type QueryAnswer = Pick<pg.QueryResult, 'rows' | 'rowCount'>

type Columns = readonly { name: string; parse: (text: string) => unknown }[]

/** A statement with its answer so far. Values are encoded first, so that one that cannot be sent fails alone. */
export class Sending implements QueryAnswer {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
  readonly bind: Buffer
  readonly answered: Promise<QueryAnswer>
  readonly rows: object[] = []
  rowCount: number | null = null
  columns: Columns | undefined
  /** A value of the answer that could not be read. */
  failure: unknown
  readonly resolve: (answer: QueryAnswer) => void
  readonly reject: (error: unknown) => void

  constructor({ text, values = [], name }: SentStatement) {
    this.text = text
    this.values = values
    this.name = name
    this.bind = serialize.bind({ statement: name ?? '', values, valueMapper: prepareValue })
    const { promise, resolve, reject } = Promise.withResolvers<QueryAnswer>()
    this.answered = promise
    this.resolve = resolve
    this.reject = reject
  }
}

type Connection = pg.Connection
type Field = { name: string; dataTypeID: number }

/** What the answers of prepared statements look like. PostgreSQL refuses to run one whose columns have changed. */
const columnsOf = new WeakMap<Connection, Map<string, Columns>>()

/**
 * Statements that PostgreSQL may have skipped. It knows nothing of them then, but PgBouncer does, and refuses the name until
 * it is closed.
 */
const doubtfulOf = new WeakMap<Connection, Set<string>>()

/**
 * Statements that are sent in one packet and answered in one. pg's own query sends five messages for each, has the columns
 * described each time, and asks for an answer of its own, which is a third of Node's processor time for a short statement
 * (decision 0062). Several statements must belong to one transaction: after a failure, PostgreSQL skips
 * the rest.
 */
export class StatementBatch extends pg.Query {
  readonly statements: readonly Sending[]
  /** The statement that is being answered. pg keeps by these two what a connection has prepared. */
  name: string | undefined
  text: string | undefined
  /** Set by pg if there is a `query_timeout`, whose timer it ends. */
  declare callback?: (error: unknown) => void
  #at = 0
  #columns: Map<string, Columns> | undefined

  constructor(statements: readonly Sending[]) {
    super('')
    this.statements = statements
    this.name = statements[0]?.name
    this.text = statements[0]?.text
  }

  override submit = (connection: Connection) => {
    const known = columnsKnownTo(connection)
    this.#columns = known
    const parts: Buffer[] = []
    for (const sending of this.statements) {
      const { name = '', text } = sending
      sending.columns = known.get(name)
      if (!isPrepared(connection, name)) {
        if (doubtfulOf.get(connection)?.delete(name)) parts.push(serialize.close({ type: 'S', name }))
        parts.push(serialize.parse({ name, text }))
        if (name !== '') connection.submittedNamedStatements[name] = text
      }
      parts.push(sending.bind)
      if (sending.columns === undefined) parts.push(describe)
      parts.push(execute)
    }
    parts.push(sync)
    if (connection.stream.writable) connection.stream.write(Buffer.concat(parts))
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }) {
    const sending = this.#current()
    sending.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: wireTypes.getTypeParser(dataTypeID, 'text'),
    }))
    if (sending.name !== undefined) this.#columns?.set(sending.name, sending.columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    const sending = this.#current()
    try {
      sending.rows.push(readRow(sending.columns ?? [], fields))
    } catch (error) {
      sending.failure = error
    }
  }

  /** Such as `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }) {
    const count = Number(text.slice(text.lastIndexOf(' ') + 1))
    this.#current().rowCount = Number.isNaN(count) ? null : count
    this.#goOn()
  }

  handleEmptyQuery() {
    this.#goOn()
  }

  /** Only now a statement without a transaction is committed. */
  handleReadyForQuery() {
    this.callback?.(null)
    for (const sending of this.statements) settle(sending)
  }

  handleError(error: unknown, connection: Connection) {
    const { submittedNamedStatements } = connection
    this.callback?.(error)
    // After the last answer, it was the commit of a single statement that failed.
    const failed = Math.min(this.#at, this.statements.length - 1)
    const isOfServer = error instanceof pg.DatabaseError
    for (const [i, sending] of this.statements.entries()) {
      if (i >= failed && sending.name !== undefined) {
        delete submittedNamedStatements[sending.name]
        doubt(connection, sending.name)
      }
      if (i < failed && isOfServer) settle(sending)
      else sending.reject(i === failed || !isOfServer ? error : skipped())
    }
  }

  #current(): Sending {
    const sending = this.statements[this.#at]
    if (sending === undefined) throw new Error('PostgreSQL answered more statements than were sent')
    return sending
  }

  #goOn() {
    this.#at++
    this.name = this.statements[this.#at]?.name
    this.text = this.statements[this.#at]?.text
  }
}

const doubt = (connection: Connection, name: string) => {
  const doubtful = doubtfulOf.get(connection) ?? new Set()
  doubtfulOf.set(connection, doubtful.add(name))
}

const readRow = (columns: Columns, fields: readonly (string | null)[]) => {
  const row: Record<string, unknown> = {}
  for (const [i, { name, parse }] of columns.entries()) {
    const text = fields[i] ?? null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

const settle = (sending: Sending) => {
  if (sending.failure === undefined) sending.resolve(sending)
  else sending.reject(sending.failure)
}

const [describe, execute, sync] = [serialize.describe({ type: 'P' }), serialize.execute(), serialize.sync()]

const columnsKnownTo = (connection: Connection) => {
  let known = columnsOf.get(connection)
  if (known === undefined) {
    known = new Map()
    columnsOf.set(connection, known)
  }
  return known
}

const isPrepared = ({ parsedStatements, submittedNamedStatements }: Connection, name: string) =>
  name !== '' && (parsedStatements[name] ?? submittedNamedStatements[name]) !== undefined

/** What PostgreSQL answers to a statement in a transaction that has failed. */
const skipped = () => {
  const error = new pg.DatabaseError('a statement before this one has failed', 0, 'error')
  error.code = transactionIsAborted
  return error
}

/** The state of a statement that was sent after one that has failed. */
export const transactionIsAborted = '25P02'
