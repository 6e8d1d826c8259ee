import { toWire } from '../../core/money.ts'
import type { Queries } from '../../db/database.ts'
import type { Store } from '../context.ts'
import { listPayments } from './order-payments.sql.ts'

/** All payments of an order, for the operator. */
export const listPaymentsOf = async (db: Queries, store: Pick<Store, 'id'>, orderId: string) =>
  (await listPayments(db, store.id, orderId)).map(({ amountMinor, createdAt, updatedAt, ...payment }) => ({
    ...payment,
    amount: toWire(amountMinor, payment.currency),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
