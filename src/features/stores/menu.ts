import { refuse } from '../../core/domain-errors.ts'
import { toFields } from '../../core/fields.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { announceStore } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { AdminCtx, MenuEntry, Store } from '../context.ts'
import { lockStore, setMenu } from './stores.sql.ts'

export type MenuFile = { label: string; type: string; target: string; children?: MenuFile[] }

export const replaceMenu = async (tx: Tx, store: Pick<Store, 'id'>, file: unknown) => {
  const items = Array.isArray(file) ? file : toFields(file).items
  const menu = readMenu(items, 'items', 1)
  await setMenu(tx, store.id, menu)
  await announceStore(tx, store.id)
  return menu
}

type MenuCtx = Pick<AdminCtx, 'store' | 'by' | 'ifMatch'>

/** From the database, because `ctx.store` may be a second old. */
export const readMenuOf = async (db: Queries, { store }: Pick<MenuCtx, 'store'>) =>
  mustExist(await findStoreByPublicId(db, store.publicId), `store ${store.publicId}`).menu

export const changeMenu = async (tx: Tx, ctx: MenuCtx, file: unknown) => {
  const { store, by } = ctx
  await lockStore(tx, store.id)
  const before = { items: await readMenuOf(tx, ctx) }
  requireMatch(ctx, before)
  const items = await replaceMenu(tx, store, file)
  recordChange(tx, store, by, { action: 'menu.updated', id: store.publicId, changes: compareFields(before, { items }) })
  // As the database has it, so that the ETag is that of the next read.
  return readMenuOf(tx, ctx)
}

const menuTypes = ['category', 'product', 'page', 'link']
const maxMenuDepth = 3

const readMenu = (items: unknown, path: string, level: number): MenuEntry[] => {
  if (!Array.isArray(items)) throw refuse('MENU_LIST_MISSING', { path })
  if (level > maxMenuDepth && items.length > 0) {
    throw refuse('MENU_TOO_DEEP', { path, maxLevels: maxMenuDepth })
  }
  return items.map((item, i) => {
    const here = `${path}[${i}]`
    const { children = [], ...fields } = toFields(item)
    const text = (field: 'label' | 'type' | 'target') => {
      const value = fields[field]
      if (typeof value !== 'string') throw refuse('MENU_TEXT_MISSING', { path: `${here}.${field}` })
      return value
    }
    const [label, type, target] = [text('label'), text('type'), text('target')]
    if (!menuTypes.includes(type)) {
      throw refuse('MENU_TYPE_UNKNOWN', { path: `${here}.type`, type, types: menuTypes })
    }
    if (!isSafeTarget(target)) {
      throw refuse('MENU_TARGET_UNSAFE', { path: `${here}.target`, label, target })
    }
    return { id: newId('menu'), label, type, target, children: readMenu(children, `${here}.children`, level + 1) }
  })
}

/**
 * Storefronts put targets of any type into links, so `javascript:` and the like are refused. Browsers drop control
 * characters from a URL and trim spaces, so neither may hide the scheme.
 */
const isSafeTarget = (target: string) => {
  const text = target.trim()
  if (/\p{Cc}/u.test(target)) return false
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? []
  if (scheme === undefined) return true
  if (/^https?$/i.test(scheme)) return /^https?:\/\//i.test(text) && URL.canParse(text)
  return /^(mailto|tel)$/i.test(scheme)
}
