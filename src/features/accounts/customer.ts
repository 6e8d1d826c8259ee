import type { CustomerRow } from './customers.sql.ts'
import type { Customer } from './sign-in.contract.ts'

/** A customer as every answer shows one; the schema of the same name is in sign-in.contract.ts. */
export const toCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  name: row.name,
  email: row.email ?? '',
  phone: row.phone ?? row.contactPhone,
  phoneVerified: row.phone !== null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
