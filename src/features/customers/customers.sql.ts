import type { Queries, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { CustomerRow } from '../accounts/customers.sql.ts'
import type { StoreId } from '../context.ts'

/** What a customer has bought. An order counts once it is paid, or placed for cash, unless it was cancelled. */
export type Spend = { orderCount: number; spentMinor: number; lastOrderAt: Date | null }

export type ListedCustomer = CustomerRow & Spend & { erasedAt: Date | null; position: string }

/** Exact at any time, because it is added up from the orders: those of one customer are in one index. */
export const spend = (storeId: StoreId) => sql`(
    select count(*) as "orderCount", coalesce(sum(o.total_minor - o.refunded_minor), 0)::bigint as "spentMinor",
      max(o.created_at) as "lastOrderAt"
    from (
      select o.total_minor, o.created_at, coalesce((
        select sum(r.amount_minor) from refund r
        where r.store_id = ${storeId} and r.order_id = o.id and r.status <> 'failed' and not exists (
          select from payment p where p.store_id = ${storeId} and p.id = r.payment_id and p.is_duplicate)), 0) as refunded_minor
      from orders o
      where o.store_id = ${storeId} and o.customer_id = c.id and o.status <> 'cancelled'
        and (o.payment_method = 'cod' or o.payment_status in ('paid', 'partially_refunded', 'refunded'))) o)`

/** `position` is the creation time as text: a JavaScript Date would lose the microseconds. */
export const listedColumns = sql`c.id, c.name, c.email, c.email_verified_at is not null as "emailVerified", c.phone,
    c.contact_phone as "contactPhone", c.created_at as "createdAt", c.updated_at as "updatedAt",
    c.event_count as "eventCount", c.erased_at as "erasedAt", c.created_at::text as position`

export const shownColumns = sql`c.id, c.name, c.email, c."emailVerified", c.phone, c."contactPhone", c."createdAt", c."updatedAt",
    c."eventCount", c."erasedAt", c.position`

export const readCustomer = (db: Queries, storeId: StoreId, customerId: string) => db.maybeOne<ListedCustomer>`
  select ${shownColumns}, s."orderCount", s."spentMinor", s."lastOrderAt"
  from (select ${listedColumns} from customer c where c.store_id = ${storeId} and c.id = ${customerId}) c
  cross join lateral ${spend(storeId)} s`

export type CustomerNoteRow = { id: string; text: string; author: string; createdAt: Date }

/** Newest first. */
export const listCustomerNotes = (db: Queries, storeId: StoreId, customerId: string) => db.many<CustomerNoteRow>`
  select id, text, author, created_at as "createdAt" from customer_note
  where store_id = ${storeId} and customer_id = ${customerId}
  order by id desc limit 1000`

export const insertCustomerNote = (
  tx: Tx,
  storeId: StoreId,
  customerId: string,
  note: Pick<CustomerNoteRow, 'id' | 'text' | 'author'>,
) =>
  tx.one<CustomerNoteRow>`
  insert into customer_note (store_id, customer_id, id, text, author, created_at)
  values (${storeId}, ${customerId}, ${note.id}, ${note.text}, ${note.author}, vitrine_now())
  returning id, text, author, created_at as "createdAt"`

export const readCustomerNote = (
  db: Queries,
  storeId: StoreId,
  customerId: string,
  id: string,
) => db.maybeOne<CustomerNoteRow>`
  select id, text, author, created_at as "createdAt" from customer_note
  where store_id = ${storeId} and customer_id = ${customerId} and id = ${id}`

export const deleteNote = (tx: Tx, storeId: StoreId, customerId: string, id: string) => tx.run`
  delete from customer_note where store_id = ${storeId} and customer_id = ${customerId} and id = ${id}`

export const deleteNotes = (db: Queries, storeId: StoreId, customerId: string) => db.run`
  delete from customer_note where store_id = ${storeId} and customer_id = ${customerId}`

export const customerExists = async (db: Queries, storeId: StoreId, customerId: string) =>
  (
    await db.one<{ exists: boolean }>`
    select exists (select from customer where store_id = ${storeId} and id = ${customerId})`
  ).exists

export const countOrdersOf = async (db: Queries, storeId: StoreId, customerId: string, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (
      select from orders where store_id = ${storeId} and customer_id = ${customerId} limit ${limit}) found`
  ).found
