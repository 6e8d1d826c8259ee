import type { Tx } from '../../db/database.ts'
import type { StoreCtx } from '../context.ts'
import { recordCustomerEvent } from './customer-events.ts'
import type { CustomerRow } from './customers.sql.ts'
import { deleteMailTokens, releaseEmail } from './mail-tokens.sql.ts'
import { deleteSessions } from './sessions.sql.ts'

/** A customer by phone has entered the email and has never confirmed it, so it may be somebody else's. */
export const isBorrowed = ({ phone, emailVerified }: CustomerRow) => phone !== null && !emailVerified

/**
 * Somebody has proved to own an email that another customer has borrowed. The owner must not get into an account that
 * the phone of a stranger still signs in to: the other customer loses the email, the password and all sessions, and the
 * email is free for a customer of its own.
 */
export const takeFromBorrower = async (tx: Tx, { store }: StoreCtx, { id }: CustomerRow): Promise<void> => {
  await deleteSessions(tx, store.id, id, null)
  await deleteMailTokens(tx, store.id, id, null)
  recordCustomerEvent(tx, store, await releaseEmail(tx, store.id, id), 'customer.updated')
}
