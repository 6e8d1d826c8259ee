import { days } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import type { CustomerCtx, StoreCtx } from '../context.ts'
import { deleteSession, deleteSessions, insertSession, type SessionRow } from './sessions.sql.ts'

export const sessionTtlMs = days(7)

export type OpenedSession = { token: string; expiresAt: string }

/** The token is returned only here. The database stores its hash. */
export const openSession = async (
  tx: Tx,
  { store, knownSessions }: Pick<StoreCtx, 'store' | 'knownSessions'>,
  customerId: string,
): Promise<OpenedSession> => {
  const token = newToken()
  const tokenHash = hashSecret(token)
  knownSessions.note(store.id, tokenHash, customerId)
  return show(token, await insertSession(tx, store.id, tokenHash, customerId, sessionTtlMs))
}

/**
 * The same in one packet with the commit. Returns how to read it afterwards. For an account that is being erased, the
 * transaction has then done all else.
 */
export const openSessionWithCommit = (
  tx: Tx,
  { store, knownSessions }: Pick<StoreCtx, 'store' | 'knownSessions'>,
  customerId: string,
): (() => OpenedSession) => {
  const token = newToken()
  const tokenHash = hashSecret(token)
  knownSessions.note(store.id, tokenHash, customerId)
  let session: SessionRow | undefined
  tx.withCommit(async () => {
    session = await insertSession(tx, store.id, tokenHash, customerId, sessionTtlMs)
    return 1
  })
  return () => show(token, session)
}

const newToken = () => `ses_${randomText(32)}`

const show = (token: string, session: SessionRow | undefined): OpenedSession => {
  if (session === undefined) throw fail('UNAUTHORIZED', 'The account was erased.')
  return { token, expiresAt: session.expiresAt.toISOString() }
}

/** Takes effect on all instances at once, because each request looks its session up. */
export const logOut = async ({ db, store, shopper }: CustomerCtx): Promise<void> => {
  if (shopper.sessionHash !== null) await deleteSession(db, store.id, shopper.sessionHash)
}

/** Ends the current session too. */
export const logOutEverywhere = async ({ db, store, shopper }: CustomerCtx): Promise<void> => {
  await deleteSessions(db, store.id, shopper.customerId, null)
}

/** After a change of credentials, other devices must sign in again. */
export const endOtherSessions = async (tx: Tx, { store, shopper }: CustomerCtx): Promise<void> => {
  await deleteSessions(tx, store.id, shopper.customerId, shopper.sessionHash)
}
