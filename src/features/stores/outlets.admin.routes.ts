import { writeOnceByAuthor } from '../access/idempotency.ts'
import { withEtag } from '../admin-etag.ts'
import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { changeMenu, readMenuOf } from './menu.ts'
import { outletsAdminContract } from './outlets.admin.contract.ts'
import { countOutlets, listOutlets } from './outlets.sql.ts'
import { changeOutlet, createOutletBy, deleteOutlet, readOutlet, showOutlet } from './outlets.ts'

export const outletAdminRoutes = adminRoutes(outletsAdminContract, {
  adminListOutlets: ({ ctx, query }) =>
    answerList(ctx, 'outlets', query, {
      read: (position, limit) => listOutlets(ctx.db, ctx.store.id, Number(position?.[0] ?? 0), limit),
      count: () => countOutlets(ctx.db, ctx.store.id),
      positionOf: ({ number }) => [number],
      show: showOutlet,
    }),
  adminCreateOutlet: ({ ctx, body }) =>
    writeOnceByAuthor(ctx, {
      ...{ route: 'adminCreateOutlet', request: body },
      write: async (tx) => {
        const { outletId } = await createOutletBy(tx, ctx.store, ctx.by, body.name)
        return withEtag(showOutlet(await readOutlet(tx, ctx, outletId)))
      },
      refer: ({ id }) => id,
      readAgain: async (tx, id) => withEtag(showOutlet(await readOutlet(tx, ctx, id))),
    }),
  adminGetOutlet: async ({ ctx, params }) => withEtag(showOutlet(await readOutlet(ctx.db, ctx, params.outletId))),
  adminUpdateOutlet: async ({ ctx, params, body }) =>
    withEtag(showOutlet(await ctx.db.tx((tx) => changeOutlet(tx, ctx, params.outletId, body)))),
  adminDeleteOutlet: async ({ ctx, params }) => {
    await ctx.db.tx((tx) => deleteOutlet(tx, ctx, params.outletId))
    return { body: null }
  },
  adminGetMenu: async ({ ctx }) => withEtag({ items: await readMenuOf(ctx.db, ctx) }),
  adminUpdateMenu: async ({ ctx, body }) => withEtag({ items: await ctx.db.tx((tx) => changeMenu(tx, ctx, body)) }),
})
