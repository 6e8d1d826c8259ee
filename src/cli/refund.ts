import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { commandLine } from '../features/audit/record.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { type RefundRequest, refundOrderById } from '../features/payments/refunds.ts'
import { withDatabase } from './database.ts'
import { readItem } from './order-items.ts'
import { collect, type OutputOptions, printResult } from './output.ts'
import { paymentServices } from './payments.ts'

type RefundOptions = OutputOptions & {
  store?: string
  amount?: string
  item: readonly string[]
  restock?: boolean
  reason?: string
}

export const addRefund = (order: Command) =>
  order
    .command('refund <order>')
    .description('Refund an order: all that is left of its payment, an amount, or units of its lines')
    .option('--amount <number>', "an amount in the order's currency; nothing goes back to stock")
    .option(
      '--item <line=quantity>',
      'units of a line (id or SKU), for their share of what was paid; repeat for more',
      collect,
      [],
    )
    .option('--restock', 'return the units to stock, even if they were shipped')
    .option('--no-restock', 'return nothing to stock')
    .option('--reason <text>', 'the reason, which the customer sees in the order, but not in the mail about the refund')
    .option('--store <id>', 'the store, if several stores have an order with this number')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Without --restock and --no-restock, units that were not shipped go back to stock.

Examples:
  vitrine order refund 1001
  vitrine order refund 1001 --amount 100 --reason 'late delivery'
  vitrine order refund 1001 --item item_01k8x0v3m7q2w9c4t6y8zb=1`,
    )
    .action((name: string, options: RefundOptions) =>
      withDatabase(async (db, config) => {
        const request = readRequest(options)
        const { id: orderId } = (await findOrder(db, name, options.store)).order
        const refund = await refundOrderById(paymentServices(db, config), orderId, request, commandLine)
        const { order: after } = await findOrder(db, orderId)
        printResult(options, { orderId, refunded: refund.status === 'succeeded', ...refund }, ({ amount, status }) => {
          const part = `${amount} ${after.currency} of order ${after.number}`
          if (status === 'succeeded') return `Refunded ${part}.`
          if (status === 'failed') return `The provider refused to refund ${part}.`
          return `The refund of ${part} is pending. The running service continues it.`
        })
      }),
    )

const readRequest = ({ amount, item, restock, reason }: RefundOptions): RefundRequest => {
  if (amount !== undefined && item.length > 0) throw new OperatorError('Use --amount or --item, not both.')
  if (amount !== undefined && restock === true) {
    throw new OperatorError('--restock cannot be used with --amount: an amount does not say which units come back.')
  }
  if (amount !== undefined && !/^\d{1,12}(\.\d{1,4})?$/.test(amount)) {
    throw new OperatorError(`--amount must be a number such as 99.50, not "${amount}".`)
  }
  if (reason !== undefined && reason.length > 500) throw new OperatorError('--reason is limited to 500 characters.')
  return {
    ...(amount === undefined ? {} : { amount: Number(amount) }),
    ...(item.length === 0 ? {} : { items: item.map(readItem).map(({ line, quantity }) => ({ id: line, quantity })) }),
    ...(restock === undefined ? {} : { restock }),
    ...(reason === undefined ? {} : { reason }),
  }
}
