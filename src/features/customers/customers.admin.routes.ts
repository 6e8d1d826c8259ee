import { writeOnceByAuthor } from '../access/idempotency.ts'
import { changeContact } from '../accounts/staff-changes.ts'
import { etagOf, requireMatch, withEtag } from '../admin-etag.ts'
import { answerList } from '../admin-list.ts'
import { type AdminCtx, adminRoutes } from '../context.ts'
import { listOrders } from '../orders/orders.sql.ts'
import { showOrder } from '../orders/show-order.ts'
import { openCustomerList } from './customer-list.ts'
import { customersContract } from './customers.admin.contract.ts'
import { countOrdersOf, type ListedCustomer } from './customers.sql.ts'
import {
  addCustomerNote,
  readCustomer,
  readCustomerNote,
  removeNote,
  requireCustomer,
  showListed,
} from './customers.ts'
import { eraseCustomerBy } from './erase.ts'
import { emptyExport, exportCustomer, noteExport } from './export.ts'

export const customerAdminRoutes = adminRoutes(customersContract, {
  adminListCustomers: ({ ctx, query }) => {
    const { db, store } = ctx
    const list = openCustomerList(db, store, query)
    return answerList(ctx, 'customers', query, {
      read: async (position, limit) => {
        const after = position === undefined ? null : { at: String(position[0]), id: String(position[1]) }
        const { rows, reached } = await list.read(after, limit)
        return { rows, reached: reached && [reached.at, reached.id] }
      },
      count: list.count,
      positionOf: ({ position, id }) => [position, id],
      show: (row: ListedCustomer) => showListed(store, row),
      columns: [
        ...(['id', 'name', 'email', 'emailVerified', 'phone', 'phoneVerified', 'orderCount', 'totalSpent'] as const),
        ...(['lastOrderAt', 'createdAt', 'updatedAt', 'erasedAt'] as const),
      ],
    })
  },
  adminGetCustomer: async ({ ctx, params: { customerId } }) => {
    const { profile, ...details } = await readCustomer(ctx.db, ctx.store, customerId)
    const { data, nextCursor, hasMore } = (await listOrdersOfCustomer(ctx, customerId, {})).body
    return {
      body: { ...details, orders: { data, nextCursor, hasMore } },
      headers: { etag: etagOf(profile) },
    }
  },
  adminUpdateCustomer: async ({ ctx, params, body }) => {
    const { db, store, by, signIn } = ctx
    const change = {
      store,
      by,
      sendsMail: signIn.includes('email'),
      check: (shown: unknown) => requireMatch(ctx, shown),
    }
    return withEtag(await db.tx((tx) => changeContact(tx, change, params.customerId, body)))
  },
  adminListCustomerOrders: async ({ ctx, params: { customerId }, query }) => {
    await requireCustomer(ctx.db, ctx.store, customerId)
    return listOrdersOfCustomer(ctx, customerId, query)
  },
  adminCreateCustomerNote: ({ ctx, params: { customerId }, body }) =>
    writeOnceByAuthor(ctx, {
      route: 'adminCreateCustomerNote',
      request: { customerId, body },
      write: async (tx) => ({ status: 201, body: await addCustomerNote(tx, ctx.store, ctx.by, customerId, body.text) }),
      refer: ({ id }) => id,
      readAgain: async (tx, noteId) => ({ body: await readCustomerNote(tx, ctx.store, customerId, noteId) }),
    }),
  adminExportCustomer: async ({ ctx, params: { customerId } }) => {
    await requireCustomer(ctx.db, ctx.store, customerId)
    await ctx.db.tx(async (tx) => noteExport(tx, ctx.store, ctx.by, customerId))
    const chunks = exportCustomer(ctx, customerId)
    return { body: emptyExport, stream: { contentType: 'application/json; charset=utf-8', chunks } }
  },
  adminEraseCustomer: async ({ ctx, params: { customerId } }) => ({
    body: { id: customerId, status: await eraseCustomerBy(ctx, ctx.by, customerId) },
  }),
  adminDeleteCustomerNote: async ({ ctx, params: { customerId, noteId } }) => {
    await ctx.db.tx((tx) => removeNote(tx, ctx.store, ctx.by, customerId, noteId))
    return { body: null }
  },
})

const listOrdersOfCustomer = (ctx: AdminCtx, customerId: string, query: { limit?: number; cursor?: string }) => {
  const { db, store } = ctx
  return answerList(ctx, `orders of ${customerId}`, query, {
    read: (position, limit) => {
      const before = position === undefined ? null : Number(position[0])
      return listOrders(db, store.id, { customerId, before, limit })
    },
    count: (limit) => countOrdersOf(db, store.id, customerId, limit),
    positionOf: ({ number }) => [number],
    show: (row) => showOrder(ctx, row),
  })
}
