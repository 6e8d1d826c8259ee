import type { Tx } from '../../db/database.ts'
import type { StoreCtx } from '../context.ts'
import { recordCustomerEvent } from './customer-events.ts'
import type { CustomerRow } from './customers.sql.ts'
import { deleteMailTokens, releaseEmail } from './mail-tokens.sql.ts'
import { deleteSessions } from './sessions.sql.ts'

/** A customer who signs in by phone has entered the email and never confirmed it: it may belong to another person. */
export const hasUnconfirmedEmail = ({ phone, emailVerified }: CustomerRow) => phone !== null && !emailVerified

/**
 * For when the owner of such an email has proved it. Signing the owner in to this account would share it with the person
 * who has the phone. So the account loses the email, the password and all sessions, and the owner gets a new account.
 */
export const releaseUnconfirmedEmail = async (tx: Tx, { store }: StoreCtx, { id }: CustomerRow): Promise<void> => {
  await deleteSessions(tx, store.id, id, null)
  await deleteMailTokens(tx, store.id, id, null)
  recordCustomerEvent(tx, store, await releaseEmail(tx, store.id, id), 'customer.updated')
}
