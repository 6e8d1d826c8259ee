import type { Command } from 'commander'
import { findOrder } from '../features/orders/store-orders.ts'
import { refundOrderById } from '../features/payments/refunds.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { paymentServices } from './payments.ts'

export const addRefund = (order: Command) =>
  order
    .command('refund <order>')
    .description('Refund the whole payment of an order; items that were not shipped go back to stock')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine order refund ord_01k8x0v3m7q2w9c4t6y8za')
    .action((name: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const { id: orderId } = (await findOrder(db, name, options.store)).order
        const { refunded } = await refundOrderById(paymentServices(db, config), orderId)
        const { order: after } = await findOrder(db, orderId)
        const result = { orderId, refunded, status: after.status, paymentStatus: after.paymentStatus }
        printResult(options, result, () =>
          refunded
            ? `Order ${after.number} is refunded.`
            : `The refund of order ${after.number} is queued; the running service completes it.`,
        )
      }),
    )
