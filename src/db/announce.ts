import type { Tx } from './database.ts'

/** Where instances hear of changes. What is announced in a transaction is heard when it commits. */
export const channel = 'vitrine'

/** Products, prices or stock of a store have changed. */
export const announceCatalog = (tx: Tx, storeId: number) => tx.run`
  select pg_notify('vitrine', ${`catalog ${storeId}`})`

/** Its keys, origins, outlets, settings or menu have changed, and with them its answers. */
export const announceStore = (tx: Tx, storeId: number) => tx.run`
  select pg_notify('vitrine', ${`store ${storeId}`})`

export type Announcement = { kind: 'catalog' | 'store'; storeId: number }

export const readAnnouncement = (payload: string): Announcement | null => {
  const [, kind, storeId] = /^(catalog|store) (\d+)$/.exec(payload) ?? []
  return kind === 'catalog' || kind === 'store' ? { kind, storeId: Number(storeId) } : null
}
