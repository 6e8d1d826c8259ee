import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { OperatorError } from '../core/operator-error.ts'
import { isWebAddress } from '../core/web-address.ts'
import type { Db } from '../db/database.ts'
import { commandLine } from '../features/audit/record.ts'
import { parseTime } from '../features/delivery/carrier-event.ts'
import { createCarrierShipment } from '../features/delivery/carrier-shipments.ts'
import { shipOrderBy } from '../features/delivery/ship.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { carrierCtx } from './carriers.ts'
import { withDatabase } from './database.ts'
import { readOrderDetails } from './order-details.ts'
import { readItem } from './order-items.ts'
import { collect, type OutputOptions, printResult } from './output.ts'

type ShipOptions = OutputOptions & {
  store?: string
  tracking?: string
  partner?: string
  url?: string
  eta?: string
  item: readonly string[]
  carrier?: string
  courier?: string
  weight?: string
  length: string
  breadth: string
  height: string
}

export const addShip = (order: Command) =>
  order
    .command('ship <order>')
    .description("Ship an order, or part of it; the carrier's webhooks then update its status")
    .option('--tracking <number>', "the carrier's tracking number, without --carrier")
    .option('--partner <name>', 'name of the carrier, or of who else brings it; required without --carrier')
    .option('--url <address>', 'tracking page for the shopper, without --carrier')
    .option('--eta <time>', 'expected delivery, without --carrier: a day or a time in ISO 8601')
    .option('--carrier <name>', 'book the parcel with this carrier, which gives it a tracking number: shiprocket')
    .option('--weight <kg>', 'weight of the parcel; required with --carrier')
    .option('--length <cm>', 'length of the parcel, with --carrier', '10')
    .option('--breadth <cm>', 'breadth of the parcel, with --carrier', '10')
    .option('--height <cm>', 'height of the parcel, with --carrier', '10')
    .option('--courier <id>', "the carrier's id of a courier, with --carrier; default: the carrier chooses")
    .option(
      '--item <line=quantity>',
      'order line, by id or SKU, in this parcel; repeatable; without it: the whole order, or all that is left of it',
      collect,
      [],
    )
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine order ship ord_01k8x0v3m7q2w9c4t6y8za --tracking BB123 --partner Bluebird --item KC-MUG-OAT=1\n  vitrine order ship 1001 --carrier shiprocket --weight 0.5',
    )
    .action((name: string, options: ShipOptions, command: Command) => {
      const ship =
        options.carrier === undefined ? readByHand(options, command) : readBooking(options, options.carrier, command)
      return withDatabase((db, config) => ship(db, config, name))
    })

type Ship = (db: Db, config: Config, name: string) => Promise<void>

/** The store has given the parcel to a carrier, or brings it itself. */
const readByHand = (options: ShipOptions, command: Command): Ship => {
  const { tracking, partner = '' } = options
  refuseOptions(command, ['weight', 'length', 'breadth', 'height', 'courier'], 'need --carrier.')
  if (options.partner === undefined) command.error("error: required option '--partner <name>' not specified")
  return async (db, config, name) => {
    const request = {
      trackingNumber: tracking === undefined ? '' : notEmpty('--tracking', tracking),
      partner: notEmpty('--partner', partner),
      trackingUrl: options.url === undefined ? '' : readUrl(options.url),
      estimatedDelivery: options.eta === undefined ? null : readEta(options.eta),
      items: options.item.map(readItem),
    }
    const { store, order } = await findOrder(db, name, options.store)
    const { shipmentId } = await db.tx((tx) => shipOrderBy(tx, { store }, commandLine, order.id, request))
    const { shipments } = await readOrderDetails(db, config, order.id)
    const shipment = shipments.find((row) => row.id === shipmentId)
    printResult(options, { orderId: order.id, shipmentId, ...shipment }, () => `Created the shipment ${shipmentId}.`)
  }
}

/** The carrier is asked to take the parcel. */
const readBooking = (options: ShipOptions, carrier: string, command: Command): Ship => {
  const carriersChoice = 'cannot be used with --carrier: the carrier chooses them.'
  refuseOptions(command, ['tracking', 'partner', 'url', 'eta'], carriersChoice)
  if (options.weight === undefined)
    throw new OperatorError('--weight is required with --carrier, such as --weight 0.5.')
  const request = {
    carrier,
    courierId: options.courier === undefined ? null : readCourier(options.courier),
    weightKg: readMeasure('--weight', options.weight, 'kg'),
    lengthCm: readMeasure('--length', options.length, 'cm'),
    breadthCm: readMeasure('--breadth', options.breadth, 'cm'),
    heightCm: readMeasure('--height', options.height, 'cm'),
    items: options.item.map(readItem),
  }
  return async (db, config, name) => {
    const { store, order } = await findOrder(db, name, options.store)
    const booked = await createCarrierShipment(carrierCtx(db, config, store), order.id, request, commandLine)
    const { shipments } = await readOrderDetails(db, config, order.id)
    const shipment = shipments.find((row) => row.id === booked.id)
    printResult(
      options,
      { orderId: order.id, shipmentId: booked.id, ...shipment, carrier },
      () => `Booked the shipment ${booked.id} with ${booked.partner}, tracking number ${booked.trackingNumber}.`,
    )
  }
}

/** Names all of these options, so that the sentence holds for each of them. Defaults are not refused. */
const refuseOptions = (command: Command, names: readonly string[], reason: string) => {
  if (!names.some((name) => command.getOptionValueSource(name) === 'cli')) return
  const [last, ...others] = names.map((name) => `--${name}`).toReversed()
  throw new OperatorError(`${others.toReversed().join(', ')} and ${last} ${reason}`)
}

const notEmpty = (name: string, text: string) => {
  if (text.trim() === '') throw new OperatorError(`${name} must not be empty.`)
  return text.trim()
}

const readUrl = (text: string) => {
  if (isWebAddress(text)) return text
  throw new OperatorError(`--url must be an address such as https://bluebird.example/BB123, not "${text}".`)
}

const readEta = (text: string) => {
  const time = parseTime(text)
  if (time === null) throw new OperatorError(`--eta must be a day such as 2027-01-31 or a time, not "${text}".`)
  return time
}

const maxMeasure = 10_000

const readMeasure = (name: string, text: string, unit: 'kg' | 'cm') => {
  const value = Number(text)
  if (/^\d+(\.\d{1,3})?$/.test(text) && value > 0 && value <= maxMeasure) return value
  throw new OperatorError(`${name} must be a number of ${unit} with up to three decimals, such as 0.5, not "${text}".`)
}

const readCourier = (text: string) => {
  if (/^\d{1,15}$/.test(text)) return text
  throw new OperatorError(`--courier must be the carrier's id of a courier, such as 24, not "${text}".`)
}
