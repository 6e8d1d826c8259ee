import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { type CustomerRow, findCustomer } from './customers.sql.ts'
import type { CustomerProfile } from './sign-in.contract.ts'

/** The public view of a customer. Its schema is in sign-in.contract.ts. */
export const toCustomer = (row: CustomerRow): CustomerProfile => ({
  id: row.id,
  name: row.name,
  email: row.email ?? '',
  emailVerified: row.emailVerified,
  phone: row.phone ?? row.contactPhone,
  phoneVerified: row.phone !== null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Contact data of a customer. */
export const readContact = async (db: Queries, store: Pick<Store, 'id'>, customerId: string) => {
  const row = mustExist(await findCustomer(db, store.id, customerId), `customer ${customerId}`)
  return { id: row.id, name: row.name, email: row.email ?? '', phone: row.phone ?? row.contactPhone }
}
