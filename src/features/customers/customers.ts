import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { toWire } from '../../core/money.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { listAllAddresses } from '../accounts/addresses.ts'
import { toCustomer } from '../accounts/customer.ts'
import { holdCustomerOf } from '../accounts/staff-changes.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import * as sql from './customers.sql.ts'

export const showListed = ({ currency }: Pick<Store, 'currency'>, row: sql.ListedCustomer) => ({
  ...toCustomer(row),
  orderCount: row.orderCount,
  totalSpent: toWire(row.spentMinor, currency),
  lastOrderAt: row.lastOrderAt?.toISOString() ?? null,
  erasedAt: row.erasedAt?.toISOString() ?? null,
})

/** A customer with addresses and notes. */
export const readCustomer = async (db: Queries, store: Pick<Store, 'id' | 'currency'>, customerId: string) => {
  const row = await sql.readCustomer(db, store.id, customerId)
  if (row === undefined) throw refuse('CUSTOMER_NOT_FOUND', { customerId })
  const addresses = await listAllAddresses(db, { storeId: store.id, customerId })
  const notes = (await sql.listCustomerNotes(db, store.id, customerId)).map(showNote)
  return { profile: toCustomer(row), ...showListed(store, row), addresses, notes }
}

export const requireCustomer = async (db: Queries, store: Pick<Store, 'id'>, customerId: string): Promise<void> => {
  if (!(await sql.customerExists(db, store.id, customerId))) throw refuse('CUSTOMER_NOT_FOUND', { customerId })
}

/** The text is in the note, and not in the audit log. */
export const addCustomerNote = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  by: Author,
  customerId: string,
  text: string,
) => {
  const written = text.trim()
  if (written === '') throw refuse('NOTE_EMPTY', {})
  await holdCustomerOf(tx, store, customerId)
  const note = await sql.insertCustomerNote(tx, store.id, customerId, {
    ...{ id: newId('note'), text: written, author: by.actor.name },
  })
  recordChange(tx, store, by, { action: 'customer.noted', id: customerId, changes: noteChange(null, note.id) })
  return showNote(note)
}

export const readCustomerNote = async (tx: Tx, store: Pick<Store, 'id'>, customerId: string, noteId: string) => {
  const note = await sql.readCustomerNote(tx, store.id, customerId, noteId)
  if (note === undefined) throw refuse('NOTE_NOT_FOUND', { noteId })
  return showNote(note)
}

export const removeNote = async (tx: Tx, store: Pick<Store, 'id'>, by: Author, customerId: string, noteId: string) => {
  const removed = await sql.deleteNote(tx, store.id, customerId, noteId)
  if (removed === 0) throw refuse('NOTE_NOT_FOUND', { noteId })
  recordChange(tx, store, by, { action: 'customer.note_removed', id: customerId, changes: noteChange(noteId, null) })
}

const noteChange = (before: string | null, after: string | null) => ({ note: { before, after } })

const showNote = ({ createdAt, ...note }: sql.CustomerNoteRow) => ({ ...note, createdAt: createdAt.toISOString() })
