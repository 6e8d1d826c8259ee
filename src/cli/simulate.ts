import type { Command } from 'commander'
import { addSimulateDelivery } from './simulate-delivery.ts'
import { addSimulatePayment } from './simulate-payment.ts'

/** Sends events to the service over HTTP, as providers do. */
export const addSimulate = (program: Command) => {
  const simulate = program
    .command('simulate')
    .description('Simulate events of payment providers and carriers; not in production')
  addSimulatePayment(simulate)
  addSimulateDelivery(simulate)
}
