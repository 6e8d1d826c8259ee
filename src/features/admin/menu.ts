import { toFields } from '../../core/fields.ts'
import { newId } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { announceStore } from '../../db/announce.ts'
import type { Tx } from '../../db/database.ts'
import type { MenuEntry, Store } from '../context.ts'
import { setMenu } from './admin.sql.ts'

export type MenuFile = { label: string; type: string; target: string; children?: MenuFile[] }

export const replaceMenu = async (tx: Tx, store: Pick<Store, 'id'>, file: unknown) => {
  const items = Array.isArray(file) ? file : toFields(file).items
  const menu = readMenu(items, 'items', 1)
  await setMenu(tx, store.id, menu)
  await announceStore(tx, store.id)
  return menu
}

const menuTypes = ['category', 'product', 'page', 'link']
const deepestMenu = 3

const readMenu = (items: unknown, place: string, level: number): MenuEntry[] => {
  if (!Array.isArray(items)) throw new OperatorError(`The menu file needs a list at ${place}.`)
  if (level > deepestMenu && items.length > 0) {
    throw new OperatorError(`A menu has ${deepestMenu} levels at most, and ${place} is deeper.`)
  }
  return items.map((item, i) => {
    const here = `${place}[${i}]`
    const { children = [], ...fields } = toFields(item)
    const text = (field: 'label' | 'type' | 'target') => {
      const value = fields[field]
      if (typeof value !== 'string') throw new OperatorError(`The menu file needs a text at ${here}.${field}.`)
      return value
    }
    const [label, type, target] = [text('label'), text('type'), text('target')]
    if (!menuTypes.includes(type)) {
      throw new OperatorError(`${here}.type is "${type}", and must be one of ${menuTypes.join(', ')}.`)
    }
    if (!isSafeTarget(target)) {
      throw new OperatorError(
        `${here}.target of "${label}" must be a name, a path, or an address that begins with http://, https://, mailto: or tel:, not ${JSON.stringify(target)}.`,
      )
    }
    return { id: newId('menu'), label, type, target, children: readMenu(children, `${here}.children`, level + 1) }
  })
}

/**
 * Storefronts put targets of any type into links, so none may be an address that runs. Browsers drop control characters
 * from an address and callers trim blanks, so neither may hide the scheme.
 */
const isSafeTarget = (target: string) => {
  const text = target.trim()
  if (/\p{Cc}/u.test(target)) return false
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? []
  if (scheme === undefined) return true
  if (/^https?$/i.test(scheme)) return /^https?:\/\//i.test(text) && URL.canParse(text)
  return /^(mailto|tel)$/i.test(scheme)
}
