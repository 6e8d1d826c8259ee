import { days } from '../../core/clock.ts'
import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import type { CustomerCtx, StoreCtx } from '../context.ts'
import { deleteSession, deleteSessions, insertSession } from './sessions.sql.ts'

export const sessionLifeMs = days(7)

export type OpenedSession = { token: string; expiresAt: string }

/** The token is shown this once; what is stored could sign nobody in. */
export const openSession = async (
  tx: Tx,
  { store }: Pick<StoreCtx, 'store'>,
  customerId: string,
): Promise<OpenedSession> => {
  const token = `ses_${randomText(32)}`
  const { expiresAt } = await insertSession(tx, store.id, hashSecret(token), customerId, sessionLifeMs)
  return { token, expiresAt: expiresAt.toISOString() }
}

/** Gone for every instance at once, because each request looks its session up. */
export const logOut = async ({ db, store, shopper }: CustomerCtx): Promise<void> => {
  if (shopper.sessionHash !== null) await deleteSession(db, store.id, shopper.sessionHash)
}

/** The session that asks for it ends too. */
export const logOutEverywhere = async ({ db, store, shopper }: CustomerCtx): Promise<void> => {
  await deleteSessions(db, store.id, shopper.customerId, null)
}

/** For a change after which nobody else may stay signed in. */
export const endOtherSessions = async (tx: Tx, { store, shopper }: CustomerCtx): Promise<void> => {
  await deleteSessions(tx, store.id, shopper.customerId, shopper.sessionHash)
}
