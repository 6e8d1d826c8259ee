import type { Command } from 'commander'
import { addSimulateDelivery } from './simulate-delivery.ts'
import { addSimulatePayment } from './simulate-payment.ts'

/** What providers would tell the service, sent to it as they would send it. */
export const addSimulate = (program: Command) => {
  const simulate = program.command('simulate').description('Send the service what a provider would; not in production')
  addSimulatePayment(simulate)
  addSimulateDelivery(simulate)
}
