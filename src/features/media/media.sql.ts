import type { Queries, Tx } from '../../db/database.ts'
import { literalNumber } from '../../db/plan-hints.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { StoreId } from '../context.ts'

export type MediumRow = {
  id: string
  path: string
  name: string
  alt: string
  animated: boolean
  bytes: number
  createdAt: Date
}

const mediumColumns = sql`m.id, m.path, m.name, m.alt, m.animated, m.bytes, m.created_at as "createdAt"`
const isShown = sql`m.state = 'ready' and m.deleted_at is null`

export type MediumState = 'writing' | 'ready' | 'removing'
export type KnownMedium = { id: string; path: string; state: MediumState }

export const findMediumByHash = (db: Queries, storeId: StoreId, hash: string) => db.maybeOne<KnownMedium>`
  select id, path, state from media where store_id = ${storeId} and hash = ${hash}`

export type NewMedium = {
  id: string
  hash: string
  path: string
  name: string
  width: number
  height: number
  animated: boolean
  bytes: number
}

/** Nothing if the store has this file. A job removes it after an hour, unless its files have been written by then. */
export const insertMedium = (tx: Tx, storeId: StoreId, medium: NewMedium) => tx.run`
  insert into media (store_id, id, hash, path, state, name, width, height, animated, bytes, created_at, updated_at,
    check_at)
  values (${storeId}, ${medium.id}, ${medium.hash}, ${medium.path}, 'writing', ${medium.name}, ${medium.width},
    ${medium.height}, ${medium.animated}, ${medium.bytes}, vitrine_now(), vitrine_now(),
    vitrine_now() + interval '1 hour')
  on conflict (store_id, hash) do nothing`

/** Nothing if the store would have more than `limit` bytes. */
export const addToTotal = (tx: Tx, storeId: StoreId, bytes: number, limit: number) => tx.run`
  insert into media_total (store_id, bytes) select ${storeId}, ${bytes}::bigint where ${bytes}::bigint <= ${limit}::bigint
  on conflict (store_id) do update set bytes = media_total.bytes + excluded.bytes
  where media_total.bytes + excluded.bytes <= ${literalNumber(limit)}
  returning 1`

export const subtractFromTotal = (tx: Tx, storeId: StoreId, bytes: number) => tx.run`
  update media_total set bytes = bytes - ${bytes}::bigint where store_id = ${storeId}`

export type LockedMedium = MediumRow & { state: MediumState; deletedAt: Date | null; checkAt: Date | null }

/** Until the commit, nothing else begins to use the picture or to remove it. */
export const lockMedium = (tx: Tx, storeId: StoreId, id: string) => tx.maybeOne<LockedMedium>`
  select ${mediumColumns}, m.state, m.deleted_at as "deletedAt", m.check_at as "checkAt" from media m
  where m.store_id = ${storeId} and m.id = ${id} for update`

/**
 * Its files are there. A picture that was deleted is back. One that was never used, or was deleted, has a day until a
 * job looks whether it is used. A null `alt` stays.
 */
export const readyMedium = (tx: Tx, storeId: StoreId, id: string, alt: string | null) => tx.maybeOne<MediumRow>`
  update media m set state = 'ready', deleted_at = null, alt = coalesce(${alt}, m.alt), updated_at = vitrine_now(),
    check_at = case when m.check_at is not null or m.deleted_at is not null then (select vitrine_now() + interval '1 day') end
  where m.store_id = ${storeId} and m.id = ${id} and m.state <> 'removing'
  returning ${mediumColumns}`

export const readMedium = (db: Queries, storeId: StoreId, id: string) => db.maybeOne<MediumRow>`
  select ${mediumColumns} from media m where m.store_id = ${storeId} and m.id = ${id} and ${isShown}`

export const setAlt = (tx: Tx, storeId: StoreId, id: string, alt: string) => tx.one<MediumRow>`
  update media m set alt = ${alt}, updated_at = vitrine_now()
  where m.store_id = ${storeId} and m.id = ${id} and ${isShown} returning ${mediumColumns}`

/** Hides it. The files stay for an hour, in which a checkout may still copy their path, and then as long as needed. */
export const hideMedium = (tx: Tx, storeId: StoreId, id: string) => tx.run`
  update media m set deleted_at = vitrine_now(), updated_at = vitrine_now(), check_at = vitrine_now() + interval '1 hour'
  where m.store_id = ${storeId} and m.id = ${id} and ${isShown}`

export type MediaFilter = { q: string | null }

const matching = (storeId: StoreId, { q }: MediaFilter): Fragment => sql`m.store_id = ${storeId} and ${isShown}
  ${q === null ? sql`` : sql`and strpos(lower(m.name || ' ' || m.alt), lower(${q})) > 0`}`

export type MediaPage = { before: string | null; limit: number }

/** Newest first. */
export const listMedia = (db: Queries, storeId: StoreId, filter: MediaFilter, { before, limit }: MediaPage) =>
  db.many<MediumRow>`
  select ${mediumColumns} from media m
  where ${matching(storeId, filter)} ${before === null ? sql`` : sql`and m.id < ${before}`}
  order by m.id desc limit ${limit}`

export const countMedia = async (db: Queries, storeId: StoreId, filter: MediaFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from media m where ${matching(storeId, filter)} limit ${limit}) found`
  ).found
