import { DomainError, type DomainErrorCode, type DomainErrorData, listNamed } from '../core/domain-errors.ts'
import { Failure } from '../core/errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode } from '../core/thrown.ts'

type Wordings = { [Code in DomainErrorCode]?: (data: DomainErrorData[Code], text: string) => string }

const runAgain = 'Run the import again.'

/** Texts that replace those of the catalogue, because they can name the flag, command or file that helps. */
const wordings: Wordings = {
  STORE_MISSING: (_, text) => `${text} Create one with "vitrine store create".`,
  STORE_AMBIGUOUS: ({ count, stores }) => `There are ${count} stores. Name one with --store: ${listNamed(stores)}.`,
  DOMAIN_TAKEN: (_, text) => `${text} "vitrine store list" shows the stores.`,
  ORIGIN_NOT_FOUND: (_, text) => `${text} "vitrine origin list" shows the allowlist.`,
  KEY_NOT_FOUND: (_, text) => `${text} "vitrine key list" shows the keys.`,
  STAFF_NOT_FOUND: (_, text) => `${text} "vitrine staff list" shows who does.`,
  TOKEN_RIGHTS_UNCLEAR: () => 'Name either --role or --permissions.',
  TOKEN_NOT_FOUND: (_, text) => `${text} "vitrine token list" shows the tokens.`,
  CUSTOMER_NOT_FOUND: (_, text) => `${text} "vitrine customer list" shows the customers.`,
  MAIL_SWITCHED_OFF: ({ message }, text) => `${text} "vitrine store set" with --mail-on ${message} switches it on.`,
  VARIANT_MISSING: () => 'Name the variant with --variant (id or SKU) or --product.',
  VARIANT_AMBIGUOUS: ({ sku, variants }) =>
    sku === null
      ? `This product has several variants. Name one with --variant: ${listNamed(variants)}.`
      : `Several variants have the SKU ${sku}. Name one by its id with --variant: ${listNamed(variants)}.`,
  IMPORT_FILE_UNREADABLE: ({ path, reason }) => `${path} cannot be read: ${reason}.`,
  IMPORT_FILE_IRREGULAR: ({ path }) => `${path} is not a regular file. It must be one, because it is read twice.`,
  IMPORT_FILE_CHANGED: ({ path }) => `${path} changed during the import. ${runAgain}`,
  IMPORT_STORE_CHANGED: ({ path }) =>
    `The products in the store changed while ${path} was checked, and the file no longer fits them. ${runAgain}`,
  COUPON_NOT_FOUND: (_, text) => `${text} "vitrine coupon list" shows the coupons.`,
  ORDER_NOT_FOUND: (_, text) => `${text} "vitrine order list" shows the orders.`,
  ORDER_AMBIGUOUS: ({ order, stores }) =>
    `Several stores have an order ${order}: ${listNamed(stores)}. Name one with --store.`,
  SHIPMENT_NOT_FOUND: (_, text) => `${text} "vitrine order show" lists the shipments of an order.`,
  SHIPMENT_UNFINISHED: ({ order, shipment }) =>
    `Shipment ${shipment} of order ${order} with other items is not booked yet. Book it by "vitrine order ship" without --item, or cancel it by "vitrine shipment cancel".`,
  SHIPMENT_NOT_BOOKED: ({ shipment }) =>
    `Shipment ${shipment} has no courier and no tracking number yet. Book it by "vitrine order ship".`,
  CARRIER_ACCOUNT_MISSING: ({ carrier }, text) =>
    `${text} Make one by "vitrine store set" with --carrier ${carrier} and --carrier-credentials.`,
  CARRIER_CREDENTIALS_MISSING: (_, text) => `${text} Put them in the file of --carrier-credentials.`,
  CARRIER_REFUSED: ({ reason, shipment }) =>
    shipment === null
      ? reason
      : `${reason} Shipment ${shipment} stays unbooked. Run the command again, perhaps with another --courier, or cancel it by "vitrine shipment cancel".`,
  CREDENTIALS_MISSING: (_, text) => `${text} Add them to the file of --payment-credentials.`,
  WEBHOOK_TYPES_MISSING: () => 'Name the event types with --types, such as order.*,stock.low.',
  WEBHOOK_LIMIT_REACHED: (_, text) => `${text} "vitrine webhook delete" removes one.`,
  MEDIA_NOT_FOUND: (_, text) => `${text} "vitrine media list" shows the pictures.`,
  WEBHOOK_NOT_FOUND: (_, text) => `${text} "vitrine webhook list" shows the endpoints.`,
  WEBHOOK_ROTATED: ({ endpointId, until }) =>
    `The secret of ${endpointId} was rotated, and the one before signs until ${until.toISOString()}. --force ends it now.`,
  WEBHOOK_DISABLED: (_, text) => `${text} Switch it on by "vitrine webhook enable".`,
  DELIVERY_NOT_FOUND: (_, text) => `${text} "vitrine delivery list" shows the deliveries.`,
  EVENT_NOT_FOUND: (_, text) => `${text} "vitrine inbox list" shows the events.`,
}

/** The text for an operator. */
export const wordForOperator = <Code extends DomainErrorCode>({ code, data, message }: DomainError<Code>): string => {
  const word: Wordings[Code] = wordings[code]
  return word === undefined ? message : word(data, message)
}

/**
 * Turns domain errors and failures into errors that are printed without a stack trace. An outage includes its cause, so
 * that the operator can fix it. An internal error is returned unchanged.
 */
export const toOperatorError = (error: unknown): unknown => {
  if (error instanceof DomainError) {
    const reason = error.kind === 'unavailable' ? describeCause(error.cause) : ''
    return new OperatorError(`${wordForOperator(error)}${reason}`, { cause: error })
  }
  if (!(error instanceof Failure) || error.code === 'INTERNAL') return error
  return new OperatorError(`${error.message}${describeCause(error.cause)}`, { cause: error })
}

/** ` (connect ECONNREFUSED 127.0.0.1:5432)`: the innermost cause, because the outer ones often say only "fetch failed". */
const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return ''
  const inner = describeCause(cause instanceof AggregateError ? cause.errors[0] : cause.cause)
  const own = cause.message || errorCode(cause)
  return inner !== '' || own === undefined ? inner : ` (${own})`
}
