import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { Snapshot } from '../events/events.sql.ts'

export type CustomerRow = {
  id: string
  name: string
  email: string | null
  /** The customer has proved to receive mail at `email`. */
  emailVerified: boolean
  /** Verified by a one-time code. */
  phone: string | null
  contactPhone: string
  createdAt: Date
  updatedAt: Date
  /** How many events the customer has had. Whoever writes one counts it here. */
  eventCount: number
}

export type NewCustomer = Pick<CustomerRow, 'id' | 'name' | 'email' | 'phone' | 'contactPhone'> & {
  passwordHash: string | null
  emailVerified?: boolean
  language?: string | null
}

export const customerColumns = sql`
  id, name, email, email_verified_at is not null as "emailVerified", phone, contact_phone as "contactPhone",
  created_at as "createdAt", updated_at as "updatedAt", event_count as "eventCount"`

/** A customer as an event keeps it. */
export const customerSnapshot = (storeId: StoreId, customerId: string): Snapshot => ({
  rows: sql`
  select x.id as subject, row_to_json(x) as data, false as has_recipient
  from (select ${customerColumns} from customer where store_id = ${storeId} and id = ${customerId}) x`,
})

/** The email signs the customer in. Otherwise it is contact data. */
export const signsInByEmail = sql`(password_hash is not null or email_verified_at is not null)`

/** Undefined when another customer of the store signs in with this phone or email. The caller records the event. */
export const insertCustomer = (tx: Tx, storeId: StoreId, customer: NewCustomer) => tx.maybeOne<CustomerRow>`
  insert into customer (store_id, id, name, email, email_verified_at, phone, contact_phone, password_hash, language,
    event_count, created_at, updated_at)
  values (${storeId}, ${customer.id}, ${customer.name}, ${customer.email},
    case when ${customer.emailVerified ?? false} then vitrine_now() end, ${customer.phone}, ${customer.contactPhone},
    ${customer.passwordHash}, ${customer.language ?? null}, 1, vitrine_now(), vitrine_now())
  on conflict do nothing
  returning ${customerColumns}`

export const findCustomer = (db: Queries, storeId: StoreId, customerId: string) => db.maybeOne<CustomerRow>`
  select ${customerColumns} from customer
  where store_id = ${storeId} and id = ${customerId}`

/**
 * Part of the statement that places an order: the list of customers can ask for those who have one. Written with the first
 * order only; of two at the same time, the second finds it written.
 */
export const markBuyer = (storeId: StoreId, customerId: string): Fragment => sql`
  update customer set has_orders = true where store_id = ${storeId} and id = ${customerId} and not has_orders`

/** By the verified phone number. Contact numbers do not identify a customer. */
export const findCustomerByPhone = (db: Queries, storeId: StoreId, phone: string) => db.maybeOne<CustomerRow>`
  select ${customerColumns} from customer
  where store_id = ${storeId} and phone = ${phone}`

/** By a confirmed email, or the email of a password. Any other email is only contact data. */
export const findCustomerByEmail = (db: Queries, storeId: StoreId, email: string) => db.maybeOne<CustomerRow>`
  select ${customerColumns} from customer
  where store_id = ${storeId} and email = ${email} and ${signsInByEmail}`

/** By the email of a password. */
export const findAccount = (db: Queries, storeId: StoreId, email: string) => db.maybeOne<
  CustomerRow & { passwordHash: string }
>`
  select ${customerColumns}, password_hash as "passwordHash" from customer
  where store_id = ${storeId} and email = ${email} and password_hash is not null`

/** Stores a new hash of the same password, unless the password was changed meanwhile. */
export const replacePasswordHash = (tx: Tx, storeId: StoreId, customerId: string, before: string, after: string) =>
  tx.run`
  update customer set password_hash = ${after}
  where store_id = ${storeId} and id = ${customerId} and password_hash = ${before}`

/** What the customer can sign in with. */
export type Credentials = Pick<CustomerRow, 'email' | 'emailVerified' | 'phone'> & { passwordHash: string | null }

export const findCredentials = (db: Queries, storeId: StoreId, customerId: string) => db.one<Credentials>`
  select email, email_verified_at is not null as "emailVerified", phone, password_hash as "passwordHash"
  from customer
  where store_id = ${storeId} and id = ${customerId}`

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
