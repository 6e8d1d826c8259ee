import type { Command } from 'commander'
import { findOrder } from '../features/orders/order-book.ts'
import { refundOrderById } from '../features/payments/refunds.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { paymentServices } from './payments.ts'

export const addRefund = (order: Command) =>
  order
    .command('refund <order>')
    .description('Give the whole payment of an order back; what was not sent yet goes back to the stock')
    .option('--store <id>', 'whose order, when several stores have one with this number')
    .option('--json', 'answer in JSON')
    .addHelpText('after', '\nExample:\n  vitrine order refund ord_01k8x0v3m7q2w9c4t6y8za')
    .action((name: string, options: OutputOptions & { store?: string }) =>
      withDatabase(async (db, config) => {
        const { id: orderId } = (await findOrder(db, name, options.store)).order
        const { refunded } = await refundOrderById(paymentServices(db, config), orderId)
        const { order: after } = await findOrder(db, orderId)
        const result = { orderId, refunded, status: after.status, paymentStatus: after.paymentStatus }
        printResult(options, result, () =>
          refunded
            ? `The order ${after.number} is refunded.`
            : `The refund of order ${after.number} is queued, and the running service goes on with it.`,
        )
      }),
    )
