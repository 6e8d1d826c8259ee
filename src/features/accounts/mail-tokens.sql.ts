import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import { type CustomerRow, customerColumns, signsInByEmail } from './customers.sql.ts'

/** What a link in a mail is for: the name of the message. */
export type MailTokenPurpose = 'password.reset' | 'email.verify'

export type MailToken = { purpose: MailTokenPurpose; tokenHash: string }

type NewToken = { tokenHash: string; email: string; ttlMs: number }

/** A token for the customer who signs in with this email, if there is one. */
export const insertResetToken = (db: Queries, storeId: StoreId, token: NewToken) => db.maybeOne<{ name: string }>`
  with account as (
    select id, name from customer where store_id = ${storeId} and email = ${token.email} and ${signsInByEmail}),
  made as (
    insert into mail_token (store_id, token_hash, purpose, customer_id, email, expires_at)
    select ${storeId}, ${token.tokenHash}, 'password.reset', id, ${token.email},
      vitrine_now() + ${token.ttlMs} * interval '1 millisecond'
    from account returning 1)
  select name from account`

/** Nothing if the customer has another email by now, or has confirmed this one. */
export const insertVerifyToken = (db: Queries, storeId: StoreId, customerId: string, token: NewToken) => db.maybeOne<{
  name: string
}>`
  with account as (
    select id, name from customer
    where store_id = ${storeId} and id = ${customerId} and email = ${token.email} and email_verified_at is null),
  made as (
    insert into mail_token (store_id, token_hash, purpose, customer_id, email, expires_at)
    select ${storeId}, ${token.tokenHash}, 'email.verify', id, ${token.email},
      vitrine_now() + ${token.ttlMs} * interval '1 millisecond'
    from account returning 1)
  select name from account`

const valid = (storeId: StoreId, { purpose, tokenHash }: MailToken) => sql`
  t.store_id = ${storeId} and t.token_hash = ${tokenHash} and t.purpose = ${purpose}
    and t.expires_at > vitrine_now()`

export const findTokenOwner = (db: Queries, storeId: StoreId, token: MailToken) => db.maybeOne<{
  customerId: string
}>`
  select t.customer_id as "customerId" from mail_token t where ${valid(storeId, token)}`

/** Only the first caller gets a row. */
export const consumeToken = (tx: Tx, storeId: StoreId, token: MailToken) => tx.maybeOne<{ email: string }>`
  delete from mail_token t where ${valid(storeId, token)} returning t.email`

/** Links to an earlier address, or for an earlier password, end with it. Null: those for every purpose. */
export const deleteMailTokens = (tx: Tx, storeId: StoreId, customerId: string, purpose: MailTokenPurpose | null) =>
  tx.run`
  delete from mail_token
  where store_id = ${storeId} and customer_id = ${customerId} and (${purpose}::text is null or purpose = ${purpose})`

/** Nothing if the customer has another email by now. The address is confirmed, because the token was sent there. */
export const resetPasswordHash = (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  { email, passwordHash }: { email: string; passwordHash: string },
) => tx.maybeOne<CustomerRow>`
  update customer set password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, (select vitrine_now())),
    updated_at = vitrine_now(), event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId} and email = ${email} and ${signsInByEmail}
  returning ${customerColumns}`

/**
 * Nothing if the customer has another email by now, or has confirmed this one. Violates `customer_by_email` when another
 * customer signs in with the email.
 */
export const confirmEmail = (tx: Tx, storeId: StoreId, customerId: string, email: string) => tx.maybeOne<CustomerRow>`
  update customer set email_verified_at = vitrine_now(), updated_at = vitrine_now(),
    event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId} and email = ${email} and email_verified_at is null
  returning ${customerColumns}`

/** Locks the customer until the transaction ends. Nothing if the email does not sign in this customer by now. */
export const lockByEmail = (tx: Tx, storeId: StoreId, customerId: string, email: string) => tx.maybeOne<CustomerRow>`
  select ${customerColumns} from customer
  where store_id = ${storeId} and id = ${customerId} and email = ${email} and ${signsInByEmail}
  for no key update`

/** Confirms an email whose owner has not set the password beside it. */
export const takeOverByEmail = (tx: Tx, storeId: StoreId, customerId: string) => tx.one<CustomerRow>`
  update customer set password_hash = null, email_verified_at = vitrine_now(), updated_at = vitrine_now(),
    event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId}
  returning ${customerColumns}`

/** Takes an email, and the password beside it, from a customer who signs in by phone. */
export const releaseEmail = (tx: Tx, storeId: StoreId, customerId: string) => tx.one<CustomerRow>`
  update customer set email = null, password_hash = null, updated_at = vitrine_now(), event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId}
  returning ${customerColumns}`
