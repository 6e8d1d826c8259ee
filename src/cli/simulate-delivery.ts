import { type Command, Option } from 'commander'
import { days } from '../core/clock.ts'
import { randomText } from '../core/ids.ts'
import { deriveSigner } from '../core/secrets.ts'
import { makeSimulatedKey } from '../features/delivery/simulated-key.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { loadSecrets, withReadableDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { refuseInProduction, sendWebhook } from './send-webhook.ts'

type DeliveryOptions = OutputOptions & {
  store?: string
  status: 'in_transit' | 'delivered'
  shipment?: string
  tracking?: string
  partner?: string
}

export const addSimulateDelivery = (simulate: Command) =>
  simulate
    .command('delivery <order>')
    .description('Send the running service a carrier event for all shipments of an order, or for one of them')
    .addOption(
      new Option('--status <status>', 'the status to report')
        .choices(['in_transit', 'delivered'])
        .makeOptionMandatory(),
    )
    .option('--shipment <id>', 'only this shipment')
    .option('--tracking <number>', 'only the shipment with this tracking number')
    .option('--partner <name>', 'name of the carrier')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine simulate delivery ord_01k8x0v3m7q2w9c4t6y8za --status delivered')
    .action((name: string, options: DeliveryOptions) =>
      withReadableDatabase(async (db, config) => {
        refuseInProduction(config)
        const { store, order } = await findOrder(db, name, options.store)
        const { id: orderId } = order
        const event = describeEvent(orderId, options, order.shipments.length === 0)
        const answer = await sendWebhook<{ received: boolean; duplicate: boolean }>(config, {
          path: '/webhook/logistics/carrier',
          headers: { 'x-api-key': makeSimulatedKey(deriveSigner(loadSecrets(config), 'simulate'), store.publicId) },
          body: event,
        })
        printResult(
          options,
          { ...event, ...answer },
          () => `Sent to ${answer.service}: ${orderId} is ${options.status}.`,
        )
      }),
    )

const describeEvent = (orderId: string, { status, shipment, tracking, partner }: DeliveryOptions, isFirst: boolean) => {
  const now = Date.now()
  return {
    eventId: `simulated_${randomText(16)}`,
    orderId,
    status,
    occurredAt: new Date(now).toISOString(),
    ...(shipment === undefined ? {} : { shipmentId: shipment }),
    ...(tracking === undefined ? {} : { trackingNumber: tracking }),
    ...(partner === undefined ? (isFirst ? { partner: 'Simulated carrier' } : {}) : { partner }),
    ...(status === 'delivered'
      ? { deliveredAt: new Date(now).toISOString() }
      : { estimatedDelivery: new Date(now + days(2)).toISOString() }),
  }
}
