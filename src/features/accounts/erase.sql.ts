import { erasedText } from '../../core/erased.ts'
import type { Queries, Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { type CustomerRow, customerColumns } from './customers.sql.ts'
import { signedIn } from './email.sql.ts'

/** Nobody can sign in to what is left. */
export const eraseCustomer = (tx: Tx, storeId: StoreId, customerId: string) => tx.one<CustomerRow>`
  update customer set name = ${erasedText}, email = null, email_verified_at = null, phone = null, contact_phone = '',
    password_hash = null, language = null, erased_at = vitrine_now(), updated_at = vitrine_now(),
    event_count = event_count + 1
  where store_id = ${storeId} and id = ${customerId}
  returning ${customerColumns}`

export const deleteAddresses = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  delete from address where store_id = ${storeId} and customer_id = ${customerId}`

/** `addresses`: phones and emails. */
export const deleteCodes = (db: Queries, storeId: StoreId, addresses: readonly string[]) => db.run`
  delete from one_time_code where store_id = ${storeId} and phone = any(${addresses}::text[])`

export const deleteCodeRequests = (db: Queries, storeId: StoreId, addresses: readonly string[]) => db.run`
  delete from otp_request where store_id = ${storeId} and phone = any(${addresses}::text[])`

export const deleteFailures = (db: Queries, storeId: StoreId, customerId: string, emails: readonly string[]) => db.run`
  delete from sign_in_failure
  where store_id = ${storeId} and email = any(${[...emails, signedIn(customerId)]}::text[])`
