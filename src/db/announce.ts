import type { Tx } from './database.ts'

/** The channel on which instances announce changes. PostgreSQL delivers a notification when its transaction commits. */
export const channel = 'vitrine'

/** Products, prices or stock of a store have changed, so its cached answers are stale. */
export const announceCatalog = (tx: Tx, storeId: number) => tx.run`
  select pg_notify('vitrine', ${`catalog ${storeId}`})`

/** Keys, origins, outlets, settings or the menu of a store have changed, so both caches are stale. */
export const announceStore = (tx: Tx, storeId: number) => tx.run`
  select pg_notify('vitrine', ${`store ${storeId}`})`

export type Announcement = { kind: 'catalog' | 'store'; storeId: number }

export const readAnnouncement = (payload: string): Announcement | null => {
  const [, kind, storeId] = /^(catalog|store) (\d+)$/.exec(payload) ?? []
  return kind === 'catalog' || kind === 'store' ? { kind, storeId: Number(storeId) } : null
}
