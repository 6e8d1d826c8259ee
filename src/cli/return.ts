import type { Command } from 'commander'
import { OperatorError } from '../core/operator-error.ts'
import { commandLine } from '../features/audit/record.ts'
import { findOrder } from '../features/orders/store-orders.ts'
import { tryRefundNow } from '../features/payments/refunds.ts'
import { requestReturnRefund } from '../features/returns/refund-return.ts'
import { returnStatuses } from '../features/returns/return.contract.ts'
import { listReturns } from '../features/returns/returns.sql.ts'
import { addReturn, decideReturn, readReturn, receiveReturn, showReturn } from '../features/returns/returns.ts'
import { withDatabase, withReadableDatabase } from './database.ts'
import { readItem } from './order-items.ts'
import { collect, fields, type OutputOptions, printResult, table } from './output.ts'
import { paymentServices } from './payments.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }
type ListOptions = StoreOptions & { status?: string }
type CreateOptions = StoreOptions & { item: readonly string[]; reason?: string }
type DecideOptions = StoreOptions & { answer?: string }
type ReceiveOptions = StoreOptions & { restock: boolean }
type RefundOptions = StoreOptions & { amount?: string }
type Shown = Awaited<ReturnType<typeof readReturn>>

export const addReturnCommands = (program: Command) => {
  const parent = program.command('return').description('List, approve, reject, receive and refund returns of customers')
  const command = (usage: string, about: string, example: string) =>
    parent
      .command(usage)
      .description(about)
      .option('--store <id>', 'store id; default: the only store, or the demo store')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  vitrine return ${example}`)
  const id = 'ret_01k8x0v3m7q2w9c4t6y8zr'

  command('list', 'List the newest returns', 'list --status requested')
    .option('--status <status>', `only this status: ${returnStatuses.join(', ')}`)
    .action((options: ListOptions) =>
      withReadableDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const status = returnStatuses.find((known) => known === options.status) ?? null
        if (options.status !== undefined && status === null)
          throw new OperatorError(`--status must be one of ${returnStatuses.join(', ')}.`)
        const filter = { status, orderId: null, from: null, to: null }
        const found = (await listReturns(db, store.id, filter, { before: null, limit: 50 })).map(showReturn)
        printResult(options, found, () =>
          found.length === 0
            ? 'There are no such returns.'
            : table(
                ['id', 'order', 'status', 'units', 'created'],
                found.map((one) => [one.id, one.orderNumber, one.status, String(countUnits(one)), one.createdAt]),
              ),
        )
      }),
    )
  command('show <id>', 'Show a return', `show ${id}`).action((name: string, options: StoreOptions) =>
    withReadableDatabase(async (db, config) =>
      printReturn(options, await readReturn(db, { store: await whichStore(db, config, options) }, name)),
    ),
  )
  command('create <order>', 'Note that a customer returns items of an order', 'create 1001 --item MUG-CAFE=1')
    .option('--item <line=quantity>', 'a line by its id or SKU; can be repeated', collect, [])
    .option('--reason <text>', 'why the customer returns them')
    .action((name: string, { item, reason, ...options }: CreateOptions) =>
      withDatabase(async (db) => {
        const { store, order } = await findOrder(db, name, options.store)
        const items = item.map(readItem).map(({ line, quantity }) => {
          const named = order.lines.find((one) => one.id === line || one.sku === line)
          return { id: named?.id ?? line, quantity }
        })
        if (items.length === 0) throw new OperatorError('Name the items with --item.')
        printReturn(
          options,
          await db.tx((tx) => addReturn(tx, { store }, { orderId: order.id, items, reason }, commandLine)),
        )
      }),
    )
  for (const [verb, status] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const) {
    command(`${verb} <id>`, `${verb === 'approve' ? 'Approve' : 'Reject'} a return`, `${verb} ${id}`)
      .option('--answer <text>', 'what to write to the customer')
      .action((name: string, { answer, ...options }: DecideOptions) =>
        withDatabase(async (db, config) => {
          const store = await whichStore(db, config, options)
          printReturn(options, await db.tx((tx) => decideReturn(tx, { store }, commandLine, name, { status, answer })))
        }),
      )
  }
  command('receive <id>', 'Note that the items have arrived', `receive ${id}`)
    .option('--no-restock', 'the items cannot be sold again')
    .action((name: string, { restock, ...options }: ReceiveOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        printReturn(options, await db.tx((tx) => receiveReturn(tx, { store }, commandLine, name, restock)))
      }),
    )
  command('refund <id>', 'Refund the items of a return', `refund ${id}`)
    .option('--amount <amount>', 'an amount instead of what was paid for the items')
    .action((name: string, { amount, ...options }: RefundOptions) =>
      withDatabase(async (db, config) => {
        if (amount !== undefined && !(Number(amount) > 0)) throw new OperatorError('--amount must be a number above 0.')
        const store = await whichStore(db, config, options)
        const ctx = { ...paymentServices(db, config), store }
        const body = amount === undefined ? {} : { amount: Number(amount) }
        const refundId = await db.tx((tx) => requestReturnRefund(tx, ctx, commandLine, name, body))
        if (refundId !== null) await tryRefundNow(ctx, { id: refundId, status: 'pending' })
        printReturn(options, await readReturn(db, ctx, name))
      }),
    )
}

const countUnits = ({ items }: Shown) => items.reduce((sum, { quantity }) => sum + quantity, 0)

const printReturn = (options: OutputOptions, shown: Shown) =>
  printResult(options, shown, () =>
    fields({
      return: shown.id,
      order: shown.orderNumber,
      status: shown.status,
      items: shown.items.map(({ id, quantity }) => `${quantity} x ${id}`).join(', '),
      reason: shown.reason || 'none',
      answer: shown.answer || 'none',
      restocked: shown.restocked === null ? 'not arrived' : shown.restocked ? 'yes' : 'no',
      refund: shown.refund === null ? 'none' : `${shown.refund.amount} (${shown.refund.status})`,
    }),
  )
