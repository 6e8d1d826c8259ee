import { toWire } from '../../core/money.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { listOrders } from '../orders/orders.sql.ts'
import { showOrder } from '../orders/show-order.ts'
import { readCustomer } from './customers.ts'
import * as sql from './export.sql.ts'

type ExportCtx = { db: Queries; store: Store; publicUrl: string; clock: { now(): number } }

const ordersPerPart = 100

/** The declared body of the answer, which is streamed instead. */
export const emptyExport = {
  ...{ exportedAt: '', store: { id: '', name: '' }, profile: {}, consents: [], addresses: [], notes: [], sessions: [] },
  ...{ cart: [], wishlist: [], downloads: [], couponUses: [], messages: [], orders: [] },
}

/** The log tells who has received a copy. */
export const noteExport = (tx: Tx, store: Pick<Store, 'id'>, by: Author, customerId: string): void =>
  recordChange(tx, store, by, { action: 'customer.exported', id: customerId })

/** Everything about one customer as the text of one JSON object. A customer may have thousands of orders. */
export async function* exportCustomer(ctx: ExportCtx, customerId: string): AsyncGenerator<string> {
  const { db, store } = ctx
  const { profile, addresses, notes, erasedAt } = await readCustomer(db, store, customerId)
  const { language, emailVerifiedAt, ...owned } = await sql.readForExport(db, store.id, customerId)
  const head = {
    exportedAt: new Date(ctx.clock.now()).toISOString(),
    store: { id: store.publicId, name: store.name },
    profile: { ...profile, language, erasedAt },
    consents: [
      ...(emailVerifiedAt === null ? [] : [{ kind: 'email', confirmedAt: emailVerifiedAt }]),
      ...(profile.phoneVerified ? [{ kind: 'phone', confirmedAt: null }] : []),
    ],
    ...{ addresses, notes, ...owned },
    messages: await sql.listMessagesOf(db, store.id, customerId),
  }
  yield `${JSON.stringify(head).slice(0, -1)},"orders":[`
  for (let before: number | null = null, isFirst = true; ; isFirst = false) {
    const orders = await listOrders(db, store.id, { customerId, before, limit: ordersPerPart })
    const ids = orders.map(({ id }) => id)
    const payments = await sql.listExportedPayments(db, store.id, ids)
    const written = await sql.listExportedNotes(db, store.id, ids)
    const returned = await sql.listExportedReturns(db, store.id, ids)
    const texts = orders.map((order) => {
      const own = payments.filter(({ orderId }) => orderId === order.id).map(showPayment)
      const staffNotes = written.filter(({ orderId }) => orderId === order.id).map(showText)
      const returns = returned.filter(({ orderId }) => orderId === order.id).map(showExportedReturn)
      return JSON.stringify({ ...showOrder(ctx, order), payments: own, staffNotes, returns })
    })
    yield (isFirst || texts.length === 0 ? '' : ',') + texts.join(',')
    before = orders.at(-1)?.number ?? null
    if (orders.length < ordersPerPart) break
  }
  yield ']}'
}

const showText = ({ text, createdAt }: sql.ExportedText) => ({ text, createdAt: createdAt.toISOString() })

const showExportedReturn = ({ orderId: _, createdAt, ...one }: sql.ExportedReturn) => ({
  ...one,
  createdAt: createdAt.toISOString(),
})

const showPayment = ({ orderId: _, amountMinor, createdAt, ...payment }: sql.ExportedPayment) => ({
  ...payment,
  amount: toWire(amountMinor, payment.currency),
  createdAt: createdAt.toISOString(),
})
