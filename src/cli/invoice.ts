import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { OperatorError } from '../core/operator-error.ts'
import { errorMessage } from '../core/thrown.ts'
import { commandLine } from '../features/audit/record.ts'
import { invoicePage } from '../features/invoices/invoice-page.ts'
import { issueCreditNote, issueInvoice } from '../features/invoices/invoices.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { withDatabase } from './database.ts'
import { type OutputOptions, printResult } from './output.ts'

type InvoiceOptions = OutputOptions & { store?: string; taxId?: string; refund?: string; out?: string }

export const addInvoice = (order: Command) =>
  order
    .command('invoice <order>')
    .description('Issue the invoice of an order, or the credit note of a refund, and write it to a file to print')
    .option('--tax-id <number>', "the buyer's number at the tax authority")
    .option('--refund <id>', 'the credit note of this refund, instead of the invoice')
    .option('--out <file>', 'HTML file to write; default: the number with .html')
    .option('--store <id>', 'store id; needed when several stores have an order with this number')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nAn invoice that was issued before is written again, and never changes.\n\nExample:\n  vitrine order invoice 1001 --out invoice.html',
    )
    .action((name: string, options: InvoiceOptions) =>
      withDatabase(async (db) => {
        const { taxId, refund: refundId, out } = options
        if (taxId !== undefined && taxId.length > 40) throw new OperatorError('--tax-id is limited to 40 characters.')
        const { store, order: found } = await findOrder(db, name, options.store)
        const nowMs = systemClock.now()
        const { invoice, isNew } = await db.tx((tx) =>
          refundId === undefined
            ? issueInvoice(tx, { store }, commandLine, found.id, { nowMs, taxId })
            : issueCreditNote(tx, { store }, commandLine, found.id, { nowMs, refundId }),
        )
        const file = resolve(out ?? `${invoice.label.replaceAll('/', '-')}.html`)
        writePage(file, invoicePage(invoice))
        const made = { orderId: found.id, number: invoice.label, issuedAt: invoice.issuedAt.toISOString(), isNew, file }
        printResult(options, made, ({ number }) => `${number} is in ${file}.`)
      }),
    )

const writePage = (file: string, page: string) => {
  try {
    writeFileSync(file, page)
  } catch (error) {
    throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}.`, { cause: error })
  }
}
