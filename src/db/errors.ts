import pg from 'pg'
import { unavailable } from './queueing.ts'

/** The SQLSTATE of a database error, or the code of a network one. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A row with the same unique key exists. */
export const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/** A row that others refer to cannot be deleted, or a row refers to nothing. */
export const isForeignKeyViolation = (error: unknown) => sqlState(error) === '23503'

/** Thrown in a transaction, undoes it and runs it again: it met a row that another one has just written. */
export class RunAgain extends Error {
  override name = 'RunAgain'
  /** A serialization failure. */
  readonly code = '40001'
  constructor(cause: unknown) {
    super('the transaction is run again', { cause })
  }
}

/**
 * Connection lost, out of resources, shutting down, a server that accepts no writes (any more), statement or lock timeout:
 * the caller may try again. 3D000: the database is just being exchanged for a restored one.
 */
const isTemporary = (state: string) => /^(08|53|57P|57014$|25006$|25P03$|55P03$|3D000$)/.test(state)

/** The server closes the session after one of these, or no longer accepts writes. */
const endsSession = (state: string) => /^(08|57P|25006$|25P03$)/.test(state)

/**
 * Classifies an error of the driver. Errors of the server are classified by SQLSTATE. Any other error means that the
 * connection is lost or silent, except a TypeError or RangeError: a value that the driver could not send. Only errors
 * thrown by the driver get here, so an error of our own code is never mistaken for an outage.
 */
export const classifyError = (error: unknown): { thrown: unknown; isLost: boolean } => {
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? ''
    return { thrown: isTemporary(state) ? unavailable(error) : error, isLost: endsSession(state) }
  }
  const isOurs = error instanceof TypeError || error instanceof RangeError
  return { thrown: isOurs ? error : unavailable(error), isLost: true }
}
