import type { Queries, Tx } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { CustomerRow } from '../accounts/customers.sql.ts'
import type { StoreId } from '../context.ts'

/** What a customer has bought. An order counts once it is paid, or placed for cash, unless it was cancelled. */
export type Spend = { orderCount: number; spentMinor: number; lastOrderAt: Date | null }

export type ListedCustomer = CustomerRow & Spend & { erasedAt: Date | null; position: string }

/** Exact at any time, because it is added up from the orders: those of one customer are in one index. */
const spend = sql`(
    select count(*) as "orderCount", coalesce(sum(o.total_minor - o.refunded_minor), 0)::bigint as "spentMinor",
      max(o.created_at) as "lastOrderAt"
    from (
      select o.total_minor, o.created_at, coalesce((
        select sum(r.amount_minor) from refund r
        where r.store_id = o.store_id and r.order_id = o.id and r.status <> 'failed' and not exists (
          select from payment p where p.store_id = r.store_id and p.id = r.payment_id and p.is_duplicate)), 0) as refunded_minor
      from orders o
      where o.store_id = c.store_id and o.customer_id = c.id and o.status <> 'cancelled'
        and (o.payment_method = 'cod' or o.payment_status in ('paid', 'partially_refunded', 'refunded'))) o)`

/** The beginning of a name or an email in lower case, and of phone numbers, as digits with the code of their country. */
export type Prefix = { text: string; digits: readonly string[] }

export type CustomerFilter = {
  prefix: Prefix | null
  from: Date | null
  to: Date | null
  hasOrders: boolean | null
  isErased: boolean
}

/** The end of the texts that begin with a prefix, in the order of bytes. */
const lastCharacter = '\u{10ffff}'

const startsWith = (text: Fragment, prefix: string) =>
  sql`${text} >= ${prefix}::text collate "C" and ${text} < ${prefix + lastCharacter}::text collate "C"`

/**
 * A prefix is looked up first, in one index for each value: with one condition for all, the planner would read the
 * customers in the order of the list until enough match.
 */
const found = (storeId: StoreId, { text, digits }: Prefix): Fragment => sql`
    select id from customer where store_id = ${storeId} and ${startsWith(sql`lower(name) collate "C"`, text)}
    union select id from customer where store_id = ${storeId} and email is not null and ${startsWith(sql`email`, text)}
    ${digits.length === 0 ? sql`` : byPhone(storeId, digits)}`

/** Each number is a parameter of its own: an index is not used for the elements of an array. */
const byPhone = (storeId: StoreId, digits: readonly string[]) =>
  digits.reduce(
    (joined, prefix) => sql`${joined}
    union select id from customer
    where store_id = ${storeId} and phone is not null and ${startsWith(sql`phone`, `+${prefix}`)}
    union select id from customer
    where store_id = ${storeId} and contact_phone <> ''
      and ${startsWith(sql`regexp_replace(contact_phone, '[^0-9]', '', 'g') collate "C"`, prefix)}`,
    sql``,
  )

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const matching = (storeId: StoreId, filter: CustomerFilter): Fragment => sql`
  ${
    filter.prefix === null
      ? sql`customer c where`
      : sql`(${found(storeId, filter.prefix)} offset 0) f
  cross join ${byKey(sql`select * from customer where store_id = ${storeId} and id = f.id`)} c where`
  }
    c.store_id = ${storeId} and c.erased_at is ${filter.isErased ? sql`not null` : sql`null`}
    ${filter.from === null ? sql`` : sql`and c.created_at >= ${filter.from}`}
    ${filter.to === null ? sql`` : sql`and c.created_at < ${filter.to}`}
    ${
      filter.hasOrders === null
        ? sql``
        : sql`and ${filter.hasOrders ? sql`` : sql`not`} exists (
      select from orders o where o.store_id = c.store_id and o.customer_id = c.id)`
    }`

export type CustomerPage = { after: { at: string; id: string } | null; isOldestFirst: boolean; limit: number }

export const listCustomers = (
  db: Queries,
  storeId: StoreId,
  filter: CustomerFilter,
  { after, isOldestFirst, limit }: CustomerPage,
) => {
  const [direction, beyond] = isOldestFirst ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const start = after === null ? sql`` : sql`and (c.created_at, c.id) ${beyond} (${after.at}::timestamptz, ${after.id})`
  return db.many<ListedCustomer>`
  select ${shownColumns}, s."orderCount", s."spentMinor", s."lastOrderAt"
  from (
    select ${listedColumns}, c.store_id from ${matching(storeId, filter)} ${start}
    order by c.created_at ${direction}, c.id ${direction} limit ${limit}) c
  cross join lateral ${spend} s
  order by c."createdAt" ${direction}, c.id ${direction}`
}

/** `position` is the creation time as text: a JavaScript Date would lose the microseconds. */
const listedColumns = sql`c.id, c.name, c.email, c.email_verified_at is not null as "emailVerified", c.phone,
    c.contact_phone as "contactPhone", c.created_at as "createdAt", c.updated_at as "updatedAt",
    c.event_count as "eventCount", c.erased_at as "erasedAt", c.created_at::text as position`

const shownColumns = sql`c.id, c.name, c.email, c."emailVerified", c.phone, c."contactPhone", c."createdAt", c."updatedAt",
    c."eventCount", c."erasedAt", c.position`

export const countCustomers = async (db: Queries, storeId: StoreId, filter: CustomerFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from ${matching(storeId, filter)} limit ${limit}) found`
  ).found

export const readCustomer = (db: Queries, storeId: StoreId, customerId: string) => db.maybeOne<ListedCustomer>`
  select ${shownColumns}, s."orderCount", s."spentMinor", s."lastOrderAt"
  from (select ${listedColumns}, c.store_id from customer c where c.store_id = ${storeId} and c.id = ${customerId}) c
  cross join lateral ${spend} s`

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
