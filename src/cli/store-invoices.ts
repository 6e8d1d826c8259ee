import type { Command } from 'commander'
import { describeAmount, toMinor, toWire } from '../core/money.ts'
import { OperatorError } from '../core/operator-error.ts'
import type { Store } from '../features/context.ts'
import type { StoreSettings } from '../features/stores/stores.sql.ts'
import { wholeNumber } from './output.ts'

/** The options of `store set` for invoices, refunds and returns. */
export const addInvoiceOptions = (command: Command): Command =>
  command
    .option('--support-refund-limit <amount|none>', 'what staff in support may refund of one order, in all')
    .option('--return-days <number>', 'days after the delivery in which customers can ask for a return; 0: never')
    .option('--tax-id <number>', "the store's number at the tax authority, for invoices; empty: none")
    .option('--invoice-prefix <text>', 'what the numbers of invoices begin with, such as INV-; empty: nothing')
    .option('--invoice-year-start <month|none>', 'month in which the numbers of invoices begin again, such as 4')

export type InvoiceOptions = Partial<
  Record<'supportRefundLimit' | 'returnDays' | 'taxId' | 'invoicePrefix' | 'invoiceYearStart', string>
>

export const readInvoiceSettings = (options: InvoiceOptions, currency: string): Partial<StoreSettings> => {
  const { supportRefundLimit, returnDays: days, taxId, invoicePrefix, invoiceYearStart: month } = options
  if (taxId !== undefined && taxId.length > 40) throw new OperatorError('--tax-id is limited to 40 characters.')
  if (invoicePrefix !== undefined && !/^([A-Za-z0-9/-]{0,9}[/-])?$/.test(invoicePrefix))
    throw new OperatorError(
      '--invoice-prefix must be up to ten letters and digits with - or / at the end, such as INV-.',
    )
  return {
    supportRefundLimitMinor: supportRefundLimit === 'none' ? 'off' : readLimit(supportRefundLimit, currency),
    returnDays: days === undefined ? null : wholeNumber('--return-days', days, { min: 0, max: 3650 }),
    taxId: taxId?.trim() ?? null,
    invoicePrefix: invoicePrefix ?? null,
    invoiceYearStart: month === 'none' ? 'off' : month ? wholeNumber('--invoice-year-start', month, months) : null,
  }
}

const months = { min: 1, max: 12 }

const readLimit = (text: string | undefined, currency: string) => {
  if (text === undefined) return null
  const minor = text.trim() === '' ? null : toMinor(Number(text), currency)
  if (!minor)
    throw new OperatorError(`--support-refund-limit must be an amount in ${currency} above 0, or none, not "${text}".`)
  return minor
}

export const showInvoiceSettings = ({ supportRefundLimitMinor: limit, currency, ...store }: Store) => ({
  supportRefundLimit: limit === null ? null : toWire(limit, currency),
  returnDays: store.returnDays,
  taxId: store.taxId,
  invoices: { prefix: store.invoicePrefix, yearStartMonth: store.invoiceYearStart },
})

export const describeInvoices = ({ supportRefundLimitMinor: limit, currency, ...store }: Store) => ({
  'refunds by support': limit === null ? 'none' : `up to ${describeAmount(limit, currency)} for an order`,
  returns: store.returnDays === 0 ? 'not by customers' : `up to ${store.returnDays} days after the delivery`,
  'tax id': store.taxId || 'none',
  invoices: `${store.invoicePrefix}1, ${store.invoicePrefix}2, …${store.invoiceYearStart === null ? '' : `; numbers begin again in month ${store.invoiceYearStart}`}`,
})
