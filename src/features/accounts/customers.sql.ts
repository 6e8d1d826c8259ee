import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type CustomerRow = {
  id: string
  name: string
  email: string | null
  /** Proved by a code. */
  phone: string | null
  contactPhone: string
  createdAt: Date
  updatedAt: Date
}

export type NewCustomer = Pick<CustomerRow, 'id' | 'name' | 'email' | 'phone' | 'contactPhone'> & {
  passwordHash: string | null
}

/** Undefined when the phone, or the email of somebody with a password, is taken in this store. */
export const insertCustomer = (tx: Tx, storeId: StoreId, customer: NewCustomer) => tx.maybeOne<CustomerRow>`
  insert into customer (store_id, id, name, email, phone, contact_phone, password_hash, created_at, updated_at)
  values (${storeId}, ${customer.id}, ${customer.name}, ${customer.email}, ${customer.phone},
    ${customer.contactPhone}, ${customer.passwordHash}, vitrine_now(), vitrine_now())
  on conflict do nothing
  returning id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt",
    updated_at as "updatedAt"`

export const findCustomer = (db: Queries, storeId: StoreId, customerId: string) => db.maybeOne<CustomerRow>`
  select id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt", updated_at as "updatedAt"
  from customer
  where store_id = ${storeId} and id = ${customerId}`

/** By the number that a code has proved; contact numbers are nobody's identity. */
export const findCustomerByPhone = (db: Queries, storeId: StoreId, phone: string) => db.maybeOne<CustomerRow>`
  select id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt", updated_at as "updatedAt"
  from customer
  where store_id = ${storeId} and phone = ${phone}`

/** By the email that signs somebody in; where there is no password it is contact data. */
export const findAccount = (db: Queries, storeId: StoreId, email: string) => db.maybeOne<
  CustomerRow & { passwordHash: string }
>`
  select id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt", updated_at as "updatedAt",
    password_hash as "passwordHash"
  from customer
  where store_id = ${storeId} and email = ${email} and password_hash is not null`

/** The same password, hashed anew. Leaves alone one that was changed meanwhile. */
export const replacePasswordHash = (tx: Tx, storeId: StoreId, customerId: string, before: string, after: string) =>
  tx.run`
  update customer set password_hash = ${after}
  where store_id = ${storeId} and id = ${customerId} and password_hash = ${before}`

/** What signs a customer in beside a phone. */
export const findPassword = (db: Queries, storeId: StoreId, customerId: string) => db.one<{
  email: string | null
  passwordHash: string | null
}>`
  select email, password_hash as "passwordHash" from customer where store_id = ${storeId} and id = ${customerId}`

/** Holds the account until the transaction ends, unless its email or password was changed meanwhile. */
export const lockAccount = (tx: Tx, storeId: StoreId, customerId: string, email: string, passwordHash: string) =>
  tx.maybeOne<{ id: string }>`
  select id from customer
  where store_id = ${storeId} and id = ${customerId} and email = ${email} and password_hash = ${passwordHash}
  for no key update`

/**
 * A new password in place of the old one (null: of none). Of several changes at once with the same old one, the first
 * wins. Fails by `customer_by_email` when there was none and the email signs in somebody else.
 */
export const changePasswordHash = (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  { before, after }: { before: string | null; after: string },
) => tx.maybeOne<{ id: string }>`
  update customer set password_hash = ${after}, updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${customerId} and password_hash is not distinct from ${before}
    and email is not null
  returning id`
