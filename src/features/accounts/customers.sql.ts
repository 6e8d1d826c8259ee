import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type CustomerRow = {
  id: string
  name: string
  email: string | null
  /** Verified by a one-time code. */
  phone: string | null
  contactPhone: string
  createdAt: Date
  updatedAt: Date
}

export type NewCustomer = Pick<CustomerRow, 'id' | 'name' | 'email' | 'phone' | 'contactPhone'> & {
  passwordHash: string | null
}

/** Undefined when another customer of the store signs in with this phone or email. */
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

/** By the verified phone number. Contact numbers do not identify a customer. */
export const findCustomerByPhone = (db: Queries, storeId: StoreId, phone: string) => db.maybeOne<CustomerRow>`
  select id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt", updated_at as "updatedAt"
  from customer
  where store_id = ${storeId} and phone = ${phone}`

/** By the sign-in email. Without a password the email is only contact data. */
export const findAccount = (db: Queries, storeId: StoreId, email: string) => db.maybeOne<
  CustomerRow & { passwordHash: string }
>`
  select id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt", updated_at as "updatedAt",
    password_hash as "passwordHash"
  from customer
  where store_id = ${storeId} and email = ${email} and password_hash is not null`

/** Stores a new hash of the same password, unless the password was changed meanwhile. */
export const replacePasswordHash = (tx: Tx, storeId: StoreId, customerId: string, before: string, after: string) =>
  tx.run`
  update customer set password_hash = ${after}
  where store_id = ${storeId} and id = ${customerId} and password_hash = ${before}`

/** The sign-in credentials other than the phone. */
export const findPassword = (db: Queries, storeId: StoreId, customerId: string) => db.one<{
  email: string | null
  passwordHash: string | null
}>`
  select email, password_hash as "passwordHash" from customer where store_id = ${storeId} and id = ${customerId}`

/** Locks the account until the transaction ends, unless its email or password was changed meanwhile. */
export const lockAccount = (tx: Tx, storeId: StoreId, customerId: string, email: string, passwordHash: string) =>
  tx.maybeOne<{ id: string }>`
  select id from customer
  where store_id = ${storeId} and id = ${customerId} and email = ${email} and password_hash = ${passwordHash}
  for no key update`

/**
 * Replaces the password hash (`before` null: sets the first one). Of concurrent changes with the same `before`, the
 * first wins. Violates `customer_by_email` when a first password is set and the email signs in another customer.
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
