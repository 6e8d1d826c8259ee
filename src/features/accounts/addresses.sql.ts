import type { Position } from '../../core/cursor.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

/** Every statement here is limited to the addresses of this customer. */
export type CustomerRef = { storeId: StoreId; customerId: string }

export type AddressFields = {
  label: string
  name: string
  phone: string
  line1: string
  line2: string
  landmark: string
  city: string
  state: string
  postalCode: string
  country: string
  isDefault: boolean
}

export type AddressRow = AddressFields & { id: string; createdAt: Date; updatedAt: Date; position: string }

/**
 * `position` is the creation time as text: a JavaScript Date would lose the microseconds. It is a query of its own, because
 * a distributed database lets `returning` have no text that depends on a setting, such as that of a time.
 */
const columns = sql`a.id, a.label, a.name, a.phone, a.line1, a.line2, a.landmark, a.city, a.state,
  a.postal_code as "postalCode", a.country, a.is_default as "isDefault", a.created_at as "createdAt",
  a.updated_at as "updatedAt", (select a.created_at::text) as position`

export const addressPositionOf = (row: AddressRow): Position => [Number(row.isDefault), row.position, row.id]

export const listAddresses = (db: Queries, customer: CustomerRef, position: Position | undefined, limit: number) => {
  const start =
    position === undefined
      ? sql`true`
      : sql`(a.is_default::integer, a.created_at, a.id) <
          (${position[0]}::integer, ${position[1]}::timestamptz, ${position[2]})`
  return db.many<AddressRow>`
    select ${columns} from address a
    where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and ${start}
    order by a.is_default::integer desc, a.created_at desc, a.id desc limit ${limit}`
}

export const findAddress = (db: Queries, customer: CustomerRef, id: string) => db.maybeOne<AddressRow>`
  select ${columns} from address a
  where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and a.id = ${id}`

export const countAddresses = async (tx: Tx, customer: CustomerRef) =>
  (
    await tx.one<{ count: number }>`
    select count(*) from address a where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId}`
  ).count

export const insertAddress = (tx: Tx, customer: CustomerRef, id: string, address: AddressFields) => tx.one<AddressRow>`
  insert into address as a (store_id, customer_id, id, label, name, phone, line1, line2, landmark, city, state,
    postal_code, country, is_default, created_at, updated_at)
  select ${customer.storeId}, ${customer.customerId}, ${id}, ${address.label}, ${address.name}, ${address.phone},
    ${address.line1}, ${address.line2}, ${address.landmark}, ${address.city}, ${address.state},
    ${address.postalCode}, ${address.country}, ${address.isDefault}, vitrine_now(), vitrine_now()
  returning ${columns}`

export const updateAddress = (tx: Tx, customer: CustomerRef, id: string, address: AddressFields) => tx.one<AddressRow>`
  update address a set label = ${address.label}, name = ${address.name}, phone = ${address.phone},
    line1 = ${address.line1}, line2 = ${address.line2}, landmark = ${address.landmark}, city = ${address.city},
    state = ${address.state}, postal_code = ${address.postalCode}, country = ${address.country},
    is_default = ${address.isDefault}, updated_at = vitrine_now()
  where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and a.id = ${id}
  returning ${columns}`

export const deleteAddress = (tx: Tx, customer: CustomerRef, id: string) => tx.maybeOne<{ wasDefault: boolean }>`
  delete from address a
  where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and a.id = ${id}
  returning a.is_default as "wasDefault"`

export const clearDefault = (tx: Tx, customer: CustomerRef) => tx.run`
  update address a set is_default = false
  where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and a.is_default`

export const makeNewestDefault = (tx: Tx, customer: CustomerRef) => tx.run`
  update address a set is_default = true
  where a.store_id = ${customer.storeId} and a.customer_id = ${customer.customerId} and a.id = (
    select newest.id from address newest
    where newest.store_id = ${customer.storeId} and newest.customer_id = ${customer.customerId}
    order by newest.created_at desc, newest.id desc limit 1)`
