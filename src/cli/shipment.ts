import type { Command } from 'commander'
import type { BookedShipment } from '../features/delivery/carrier-shipments.sql.ts'
import type { CarrierCtx } from '../features/delivery/carriers.ts'
import { cancelShipment, labelShipment, schedulePickup, trackShipment } from '../features/delivery/shipment-actions.ts'
import { carrierCtx } from './carriers.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'
import { whichStore } from './which-store.ts'

type ShipmentOptions = OutputOptions & { store?: string }

type Action = {
  name: string
  description: string
  act: (ctx: CarrierCtx, shipmentId: string) => Promise<BookedShipment>
  say: (shipment: BookedShipment) => string
}

const actions: readonly Action[] = [
  {
    name: 'label',
    description: 'Make the label of a parcel and print the address of the PDF',
    act: labelShipment,
    say: ({ labelUrl }) => labelUrl,
  },
  {
    name: 'pickup',
    description: 'Ask the courier to pick the parcel up',
    act: schedulePickup,
    say: ({ id, partner, pickupAt }) =>
      `${partner} will pick up ${id}${pickupAt === null ? '' : ` on ${pickupAt.toISOString()}`}.`,
  },
  {
    name: 'track',
    description: 'Ask the carrier where the parcel is, and update the order',
    act: trackShipment,
    say: ({ id, partner, trackingNumber, status }) => `${id} (${partner} ${trackingNumber}) is ${status}.`,
  },
  {
    name: 'cancel',
    description: 'Cancel a parcel that the courier has not picked up; its items can be shipped again',
    act: cancelShipment,
    say: ({ id }) => `${id} is cancelled.`,
  },
]

export const addShipment = (program: Command) => {
  const shipment = program
    .command('shipment')
    .description('Label, pick up, track and cancel parcels that were booked with a carrier')
  for (const { name, description, act, say } of actions) {
    shipment
      .command(`${name} <shipment>`)
      .description(description)
      .option('--store <id>', 'store id; default: the only store, or the demo store')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  vitrine shipment ${name} ship_01k8x0v3m7q2w9c4t6y8za`)
      .action((id: string, options: ShipmentOptions) =>
        withDatabase(async (db, config) => {
          const store = await whichStore(db, config, options)
          const after = await act(carrierCtx(db, config, store), id)
          printResult(options, showShipment(after), () => say(after))
        }),
      )
  }
}

const showShipment = ({ pickupAt, orderNumber, ...shipment }: BookedShipment) => ({
  ...shipment,
  orderNumber: String(orderNumber),
  pickupAt: pickupAt?.toISOString() ?? null,
})
