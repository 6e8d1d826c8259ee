import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { CustomerRow } from './customers.sql.ts'

export type Profile = Pick<CustomerRow, 'name' | 'email' | 'contactPhone'>

/** Violates `customer_by_email` when another customer signs in with the email. */
export const updateProfile = (tx: Tx, storeId: StoreId, customerId: string, profile: Profile) => tx.one<CustomerRow>`
  update customer set name = ${profile.name}, email = ${profile.email}, contact_phone = ${profile.contactPhone},
    updated_at = vitrine_now()
  where store_id = ${storeId} and id = ${customerId}
  returning id, name, email, phone, contact_phone as "contactPhone", created_at as "createdAt",
    updated_at as "updatedAt"`
