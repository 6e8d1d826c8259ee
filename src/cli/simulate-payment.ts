import { type Command, Option } from 'commander'
import { randomText } from '../core/ids.ts'
import { OperatorError } from '../core/operator-error.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { readPaymentToReport, sandboxEvent } from '../features/payments/sandbox.ts'
import { sandboxHeaders } from '../features/payments/webhook-access.ts'
import type { EventStatus } from '../providers/payment/neutral-event.ts'
import { withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { paymentServices } from './payments.ts'
import { refuseInProduction, sendWebhook } from './send-webhook.ts'

type PaymentOptions = OutputOptions & { store?: string; status: EventStatus }

export const addSimulatePayment = (simulate: Command) =>
  simulate
    .command('payment <order>')
    .description('Send the running service a sandbox event for the payment of an order')
    .addOption(
      new Option('--status <status>', 'the status to report')
        .choices(['success', 'failed', 'pending', 'refunded'])
        .makeOptionMandatory(),
    )
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine simulate payment ord_01k8x0v3m7q2w9c4t6y8za --status success')
    .action((name: string, options: PaymentOptions) =>
      withReadableDatabase(async (db, config) => {
        refuseInProduction(config)
        const { store, order } = await findOrder(db, name, options.store)
        const { id: orderId } = order
        const headers = sandboxHeaders(paymentServices(db, config).payments, store)
        if (headers === null) {
          throw new OperatorError(
            `The store uses the payment provider ${store.paymentProvider}; only payments of the sandbox can be simulated.`,
          )
        }
        const payment = await readPaymentToReport(db, store.id, orderId)
        const event = sandboxEvent(payment, options.status, `simulated_${randomText(16)}`)
        const answer = await sendWebhook<{ received: boolean; duplicate: boolean }>(config, {
          path: '/webhook/payment',
          headers,
          body: event,
        })
        printResult(
          options,
          { ...event, ...answer },
          () => `Sent to ${answer.service}: the payment of ${orderId} is ${options.status}.`,
        )
      }),
    )
