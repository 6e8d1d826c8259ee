import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { type CustomerRow, customerColumns } from './customers.sql.ts'

export type HeldCustomer = CustomerRow & { erasedAt: Date | null }

/** Locks a customer until the transaction ends, also one who was erased. */
export const holdCustomer = (tx: Tx, storeId: StoreId, customerId: string) => tx.maybeOne<HeldCustomer>`
  select ${customerColumns}, erased_at as "erasedAt" from customer
  where store_id = ${storeId} and id = ${customerId}
  for no key update`

/** The customer no longer signs in with a code to the phone. */
export const forgetPhone = (tx: Tx, storeId: StoreId, customerId: string) => tx.run`
  update customer set phone = null where store_id = ${storeId} and id = ${customerId}`
