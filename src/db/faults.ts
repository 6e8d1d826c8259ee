import pg from 'pg'
import { unavailable } from './turns.ts'

/** The SQLSTATE of a database error, or the code of a network one. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A row with the same unique key exists. */
export const isUniqueViolation = (error: unknown) => sqlState(error) === '23505'

/** Connection lost, resources used up, shutting down, too slow, a lock not given in time: it may be tried again. */
const isTemporary = (state: string) => /^(08|53|57P|57014$|25P03$|55P03$)/.test(state)

/** The server ends the session after telling one of these. */
const endsSession = (state: string) => /^(08|57P|25P03$)/.test(state)

/**
 * What the driver threw, judged by who said it: the server's errors by their SQLSTATE; anything else that the driver
 * throws means that the connection is gone or silent, but for a value that it could not send. Errors of our own code
 * never come here, so that their words cannot be mistaken for such a fault.
 */
export const judgeFault = (error: unknown): { thrown: unknown; isLost: boolean } => {
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? ''
    return { thrown: isTemporary(state) ? unavailable(error) : error, isLost: endsSession(state) }
  }
  const isOurs = error instanceof TypeError || error instanceof RangeError
  return { thrown: isOurs ? error : unavailable(error), isLost: true }
}
