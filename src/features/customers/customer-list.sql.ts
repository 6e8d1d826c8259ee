import type { Queries } from '../../db/database.ts'
import { byKey } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'
import type { ComparedMatches, FewMatches } from '../searched-list.ts'
import { type ListedCustomer, listedColumns, shownColumns, spend } from './customers.sql.ts'

export type CustomerFilter = {
  from: Date | null
  to: Date | null
  hasOrders: boolean | null
  isErased: boolean
}

/** Where a customer is in the list. The time is a text, because it has microseconds. */
export type CustomerKey = { at: string; id: string }

export type CustomerPage = { after: CustomerKey | null; isOldestFirst: boolean; limit: number }

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const inFilter = (storeId: StoreId, { from, to, hasOrders, isErased }: CustomerFilter): Fragment => sql`
    c.store_id = ${storeId} and c.erased_at is ${isErased ? sql`not null` : sql`null`}
    ${from === null ? sql`` : sql`and c.created_at >= ${from}`} ${to === null ? sql`` : sql`and c.created_at < ${to}`}
    ${hasOrders === null ? sql`` : hasOrders ? sql`and c.has_orders` : sql`and not c.has_orders`}`

const afterKey = ({ after, isOldestFirst }: Omit<CustomerPage, 'limit'>) => {
  if (after === null) return sql``
  return sql`and (c.created_at, c.id) ${isOldestFirst ? sql`>` : sql`<`} (${after.at}::timestamptz, ${after.id})`
}

const inOrder = (isOldestFirst: boolean) =>
  isOldestFirst ? sql`c.created_at, c.id` : sql`c.created_at desc, c.id desc`

export const listCustomers = (db: Queries, storeId: StoreId, filter: CustomerFilter, page: CustomerPage) =>
  db.many<ListedCustomer>`
  select ${shownColumns}, s."orderCount", s."spentMinor", s."lastOrderAt"
  from (
    select ${listedColumns}, c.created_at from customer c
    where ${inFilter(storeId, filter)} ${afterKey(page)}
    order by ${inOrder(page.isOldestFirst)} limit ${page.limit}) c
  cross join lateral ${spend(storeId)} s
  order by ${inOrder(page.isOldestFirst)}`

/** Counts up to `limit`. */
export const countCustomers = async (db: Queries, storeId: StoreId, filter: CustomerFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (
      select from customer c where ${inFilter(storeId, filter)} limit ${limit}) found`
  ).found

/** In the sequence of the ids. */
export const readListedCustomers = (db: Queries, storeId: StoreId, ids: readonly string[]) => db.many<ListedCustomer>`
  select ${shownColumns}, s."orderCount", s."spentMinor", s."lastOrderAt"
  from unnest(${ids}::text[]) with ordinality f (id, place)
  cross join ${byKey(sql`
    select ${listedColumns} from customer c where c.store_id = ${storeId} and c.id = f.id`)} c
  cross join lateral ${spend(storeId)} s
  order by f.place`

/** The beginning of a name or an email in lower case, and of phone numbers, as digits with the code of their country. */
export type Prefix = { text: string; digits: readonly string[] }

/** The end of the texts that begin with a prefix, in the order of bytes. */
const lastCharacter = '\u{10ffff}'

const startsWith = (text: Fragment, prefix: string) =>
  sql`${text} >= ${prefix}::text collate "C" and ${text} < ${prefix + lastCharacter}::text collate "C"`

/**
 * Each value that can begin with the prefix, as its index has it. Each number is a parameter of its own: an index is not
 * used for the elements of an array.
 */
const beginnings = ({ text, digits }: Prefix): Fragment[] => [
  startsWith(sql`lower(c.name) collate "C"`, text),
  sql`c.email is not null and ${startsWith(sql`c.email`, text)}`,
  ...digits.flatMap((number) => [
    sql`c.phone is not null and ${startsWith(sql`c.phone`, `+${number}`)}`,
    sql`c.contact_phone <> ''
      and ${startsWith(sql`regexp_replace(c.contact_phone, '[^0-9]', '', 'g') collate "C"`, number)}`,
  ]),
]

/**
 * For a prefix that few customers have: all of them are read, once for the page and its count. Each value is looked up in
 * its index: with one condition for all, the planner would read the customers in the order of the list.
 */
export const findFewCustomers = (
  db: Queries,
  storeId: StoreId,
  prefix: Prefix,
  filter: CustomerFilter,
  { maxFound, ...page }: Omit<CustomerPage, 'limit'> & { maxFound: number },
) => {
  const found = beginnings(prefix)
    .map(
      (begins) => sql`(select c.id from customer c where c.store_id = ${storeId} and ${begins} limit ${maxFound + 1})`,
    )
    .reduce((all, one) => sql`${all} union ${one}`)
  return db.one<FewMatches<string>>`
  with found as materialized (select f.id from (${found}) f limit ${maxFound + 1}),
  few as materialized (select f.id from found f where (select count(*) from found) <= ${maxFound})
  select (select count(*) from found) as found,
    coalesce(array_agg(c.id order by ${inOrder(page.isOldestFirst)}), '{}') as ids,
    count(*) filter (where not (true ${afterKey(page)})) as passed
  from few f cross join ${byKey(sql`select * from customer where store_id = ${storeId} and id = f.id`)} c
  where ${inFilter(storeId, filter)}`
}

/** For a prefix that many customers have: the next customers of the list are compared with it, up to `limit`. */
export const compareCustomers = (
  db: Queries,
  storeId: StoreId,
  prefix: Prefix,
  filter: CustomerFilter,
  page: CustomerPage,
) => db.one<ComparedMatches<string, CustomerKey>>`
  with compared as materialized (
    select c.id, c.created_at, ${beginnings(prefix).reduce((any, one) => sql`${any} or ${one}`)} as is_found
    from customer c where ${inFilter(storeId, filter)} ${afterKey(page)}
    order by ${inOrder(page.isOldestFirst)} limit ${page.limit})
  select array(select c.id from compared c where c.is_found order by ${inOrder(page.isOldestFirst)}) as ids, (
    select json_build_object('at', c.created_at::text, 'id', c.id) from compared c
    where (select count(*) from compared) = ${page.limit}
    order by ${inOrder(!page.isOldestFirst)} limit 1) as reached`
