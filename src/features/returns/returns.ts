import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { holdOrder } from '../orders/lock-order.ts'
import type { LockedOrder } from '../orders/orders.sql.ts'
import { isSent, restockReturned } from '../orders/restock.ts'
import { noteOnTimeline } from '../orders/settle.ts'
import type { AdminReturn, ReturnStatus } from './return.contract.ts'
import * as sql from './returns.sql.ts'

type Ctx = { store: Pick<Store, 'id' | 'returnDays'> }

export const showReturn = ({
  refundMinor,
  refundStatus,
  currency,
  isRefundedByAmount: _isRefundedByAmount,
  position: _,
  ...row
}: sql.ReturnRow): AdminReturn => ({
  ...row,
  orderNumber: String(row.orderNumber),
  refund:
    row.refundId === null || refundMinor === null || refundStatus === null
      ? null
      : { id: row.refundId, amount: toWire(refundMinor, currency), status: refundStatus },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const readReturn = async (db: Queries, { store }: Ctx, id: string): Promise<AdminReturn> => {
  const found = await sql.findReturn(db, store.id, id)
  if (found === undefined) throw refuse('RETURN_NOT_FOUND', { returnId: id })
  return showReturn(found)
}

export type NewReturn = { orderId: string; items: readonly sql.ReturnedItem[]; reason?: string | undefined }

/** Adds a return. Of a customer, it waits for the store; one that the store adds (`by`) is approved. */
export const addReturn = async (
  tx: Tx,
  ctx: Ctx,
  { orderId, items, reason = '' }: NewReturn,
  by: Author | 'customer',
): Promise<AdminReturn> => {
  const { store } = ctx
  const order = await holdOrder(tx, ctx, orderId)
  if (order === undefined) throw refuse('ORDER_NOT_FOUND', { order: orderId })
  const isByCustomer = by === 'customer'
  if (isByCustomer ? order.status !== 'delivered' : !isSent(order)) {
    throw refuse('RETURN_TOO_EARLY', { order: String(order.number) })
  }
  if (isByCustomer) await refuseLate(tx, ctx, order)
  const chosen = mergeItems(order, items)
  const others = await sql.listReturnsOfOrder(tx, store.id, orderId)
  for (const item of chosen) refuseSurplus(order, others, item)
  const status: ReturnStatus = isByCustomer ? 'requested' : 'approved'
  const id = newId('ret')
  await sql.insertReturn(tx, store.id, {
    id,
    orderId,
    status,
    items: chosen,
    reason: reason.trim(),
    byCustomer: isByCustomer,
  })
  await noteOnTimeline(tx, ctx, order, {
    type: `return_${status}`,
    message: isByCustomer ? 'The customer asks to return items.' : 'The store expects items back.',
  })
  if (!isByCustomer) noteChange(tx, store, by, id, 'created', { status: { before: null, after: status } })
  return readReturn(tx, ctx, id)
}

const refuseLate = async (tx: Tx, { store }: Ctx, order: LockedOrder) => {
  const days = await sql.daysSinceDelivery(tx, store.id, order.id)
  if (days === null || days <= store.returnDays) return
  throw refuse('RETURN_TOO_LATE', { order: String(order.number), days: store.returnDays })
}

const mergeItems = ({ lines }: LockedOrder, items: readonly sql.ReturnedItem[]): sql.ReturnedItem[] => {
  const units = new Map<string, number>()
  for (const { id, quantity } of items) {
    const line = lines.find((one) => one.id === id)
    if (line === undefined) throw refuse('RETURN_ITEM_UNKNOWN', {})
    if (line.digital !== null) throw refuse('RETURN_OF_FILE', { line: id })
    units.set(id, (units.get(id) ?? 0) + quantity)
  }
  return [...units].map(([id, quantity]) => ({ id, quantity }))
}

/** Units can be returned that were neither refunded nor are part of another return. */
const refuseSurplus = (order: LockedOrder, others: readonly sql.ReturnRow[], { id, quantity }: sql.ReturnedItem) => {
  const line = mustExist(
    order.lines.find((one) => one.id === id),
    `line ${id}`,
  )
  const isTaken = ({ status, isRefundedByAmount }: sql.ReturnRow) =>
    status === 'refunded' ? isRefundedByAmount : status !== 'rejected'
  const taken = others.filter(isTaken).flatMap(({ items }) => items.filter((item) => item.id === id))
  const left = line.quantity - line.refunded - taken.reduce((sum, item) => sum + item.quantity, 0)
  if (quantity > left) throw refuse('RETURN_QUANTITY_INVALID', { line: id, left: Math.max(0, left) })
}

/** Locks the order of a return, which is the lock of all its returns, and reads both after it. */
export const holdReturn = async (tx: Tx, ctx: Ctx, id: string, allowed: readonly ReturnStatus[]) => {
  const found = await sql.findReturn(tx, ctx.store.id, id)
  if (found === undefined) throw refuse('RETURN_NOT_FOUND', { returnId: id })
  const order = mustExist(await holdOrder(tx, ctx, found.orderId), `order ${found.orderId}`)
  const held = mustExist(await sql.findReturn(tx, ctx.store.id, id), `return ${id}`)
  if (!allowed.includes(held.status))
    throw refuse('RETURN_STATUS_WRONG', { returnId: id, status: held.status, allowed })
  return { order, held }
}

type Decision = { status: 'approved' | 'rejected'; answer?: string | undefined }

/** Approves or rejects a return. A return that is approved can still be rejected, until the items have arrived. */
export const decideReturn = async (
  tx: Tx,
  ctx: Ctx,
  by: Author,
  id: string,
  { status, answer = '' }: Decision,
): Promise<AdminReturn> => {
  const { order, held } = await holdReturn(
    tx,
    ctx,
    id,
    status === 'approved' ? ['requested'] : ['requested', 'approved'],
  )
  await sql.writeReturn(tx, ctx.store.id, id, { status, ...(answer.trim() === '' ? {} : { answer: answer.trim() }) })
  const message = status === 'approved' ? 'The return was approved.' : 'The return was rejected.'
  await noteOnTimeline(tx, ctx, order, { type: `return_${status}`, message })
  noteChange(tx, ctx.store, by, id, status, { status: { before: held.status, after: status } })
  return readReturn(tx, ctx, id)
}

/** The items have arrived. `restock` returns them to stock. A refund may have come before them. */
export const receiveReturn = async (
  tx: Tx,
  ctx: Ctx,
  by: Author,
  id: string,
  restock: boolean,
): Promise<AdminReturn> => {
  const awaited: readonly ReturnStatus[] = ['requested', 'approved']
  const { order, held } = await holdReturn(tx, ctx, id, [...awaited, 'refunded'])
  if (held.status === 'refunded' && held.restocked !== null)
    throw refuse('RETURN_STATUS_WRONG', { returnId: id, status: 'received and refunded', allowed: awaited })
  const status = held.status === 'refunded' ? 'refunded' : 'received'
  const after = restock ? await restockReturned(tx, ctx, order, held.items) : order
  await sql.writeReturn(tx, ctx.store.id, id, { status, restocked: restock })
  await noteOnTimeline(tx, ctx, after, { type: 'return_received', message: 'The returned items have arrived.' })
  noteChange(tx, ctx.store, by, id, 'received', {
    ...(status === held.status ? {} : { status: { before: held.status, after: status } }),
    restocked: { before: null, after: restock },
  })
  return readReturn(tx, ctx, id)
}

export const noteChange = (
  tx: Tx,
  store: Pick<Store, 'id'>,
  by: Author,
  id: string,
  what: string,
  changes: Record<string, { before: unknown; after: unknown }>,
) => recordChange(tx, store, by, { action: `return.${what}`, id, changes })
