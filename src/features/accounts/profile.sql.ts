import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { type CustomerRow, customerColumns } from './customers.sql.ts'

export type Profile = Pick<CustomerRow, 'name' | 'email' | 'contactPhone'>

/**
 * A new email is not confirmed. Violates `customer_by_email` when the customer has a password and another customer signs
 * in with the email.
 */
export const updateProfile = (tx: Tx, storeId: StoreId, customerId: string, profile: Profile) => tx.one<CustomerRow>`
  update customer set name = ${profile.name}, email = ${profile.email}, contact_phone = ${profile.contactPhone},
    email_verified_at = case when email is not distinct from ${profile.email} then email_verified_at end,
    updated_at = vitrine_now(), event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId}
  returning ${customerColumns}`
