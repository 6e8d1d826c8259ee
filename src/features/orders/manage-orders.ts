import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import type { OrderNote } from './admin-order.contract.ts'
import { insertNote, listNotes } from './admin-order.sql.ts'
import { showNote } from './admin-order.ts'
import { holdOrder } from './lock-order.ts'
import { resolveAttention } from './settle.ts'

type Ctx = { store: Pick<Store, 'id'> }

/** Adds a note that the customer does not see. */
export const addNote = async (
  tx: Tx,
  { store }: Ctx,
  by: Author,
  orderId: string,
  text: string,
): Promise<OrderNote> => {
  if (text.trim() === '') throw refuse('NOTE_EMPTY', {})
  const id = newId('note')
  await insertNote(tx, store.id, orderId, by, { id, text: text.trim() })
  recordChange(tx, store, by, { action: 'order.noted', id: orderId, changes: { note: { before: null, after: id } } })
  return readNote(tx, { store }, orderId, id)
}

export const readNote = async (tx: Tx, { store }: Ctx, orderId: string, noteId: string): Promise<OrderNote> =>
  showNote(
    mustExist(
      (await listNotes(tx, store.id, orderId)).find(({ id }) => id === noteId),
      `note ${noteId}`,
    ),
  )

/** The merchant has decided about what needed attention. */
export const resolveOrder = async (tx: Tx, ctx: Ctx, by: Author, orderId: string): Promise<void> => {
  const order = mustExist(await holdOrder(tx, ctx, orderId), `order ${orderId}`)
  const { number, needsAttention } = order
  if (needsAttention === null) throw refuse('ORDER_NOT_FLAGGED', { order: String(number) })
  await resolveAttention(tx, ctx, order)
  const changes = { needsAttention: { before: needsAttention, after: null } }
  recordChange(tx, ctx.store, by, { action: 'order.resolved', id: orderId, changes })
}
