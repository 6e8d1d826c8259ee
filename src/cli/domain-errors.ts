import { DomainError, type DomainErrorCode, type DomainErrorData, listNamed } from '../core/domain-errors.ts'
import { Failure } from '../core/errors.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorCode } from '../core/thrown.ts'

type Wordings = { [Code in DomainErrorCode]?: (data: DomainErrorData[Code], text: string) => string }

const runAgain = 'Run the import again.'

/** Only what the command line can say better than the catalogue: with the flag, the command or the file that helps. */
const wordings: Wordings = {
  STORE_MISSING: (_, text) => `${text} Make one with "vitrine store create".`,
  STORE_AMBIGUOUS: ({ count, stores }) => `There are ${count} stores. Name one with --store: ${listNamed(stores)}.`,
  DOMAIN_TAKEN: (_, text) => `${text} "vitrine store list" shows the stores.`,
  ORIGIN_NOT_FOUND: (_, text) => `${text} "vitrine origin list" shows it.`,
  KEY_NOT_FOUND: (_, text) => `${text} "vitrine key list" shows the keys.`,
  VARIANT_MISSING: () => 'Say what to count: --variant with an id or a SKU, or --product.',
  VARIANT_AMBIGUOUS: ({ sku, variants }) =>
    sku === null
      ? `This product has several variants. Name one with --variant: ${listNamed(variants)}.`
      : `Several variants have the SKU ${sku}. Name one by its id with --variant: ${listNamed(variants)}.`,
  IMPORT_FILE_UNREADABLE: ({ path, reason }) => `${path} cannot be read: ${reason}.`,
  IMPORT_FILE_IRREGULAR: ({ path }) => `${path} is not a file; it is read twice, so it must be one.`,
  IMPORT_FILE_CHANGED: ({ path }) => `${path} was changed while it was read. ${runAgain}`,
  IMPORT_STORE_CHANGED: ({ path }) =>
    `The products were changed while ${path} was read, and it no longer fits them. ${runAgain}`,
  COUPON_NOT_FOUND: (_, text) => `${text} "vitrine coupon list" shows them.`,
  ORDER_NOT_FOUND: (_, text) => `${text} "vitrine order list" shows the orders.`,
  ORDER_AMBIGUOUS: ({ order, stores }) =>
    `Several stores have an order ${order}: ${listNamed(stores)}. Name one with --store.`,
  CREDENTIALS_MISSING: (_, text) => `${text} Put them in the file of --payment-credentials.`,
  EVENT_NOT_FOUND: (_, text) => `${text} "vitrine inbox list" shows the events.`,
}

/** The sentence for an operator; without a wording of its own, the text of the catalogue. */
export const wordForOperator = <Code extends DomainErrorCode>({ code, data, message }: DomainError<Code>): string => {
  const word: Wordings[Code] = wordings[code]
  return word === undefined ? message : word(data, message)
}

/**
 * Turns refusals of use cases into sentences that are printed without a stack trace. An outage is printed with its cause,
 * so that the operator can fix it. An internal error stays as it is.
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
