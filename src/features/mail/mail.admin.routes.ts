import { refuse } from '../../core/domain-errors.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import { adminRoutes } from '../context.ts'
import { findOrder } from '../orders/store-orders.ts'
import { mailAdminContract } from './mail.admin.contract.ts'
import { readQueuedMail, resendMailBy } from './resend.ts'

export const mailAdminRoutes = adminRoutes(mailAdminContract, {
  adminResendMessage: async ({ ctx, params }) => {
    const { order } = await findOrder(ctx.db, params.id, ctx.store.publicId)
    if (ctx.mail === null) throw refuse('MAIL_SENDER_MISSING', {})
    const answer = await writeOnceByAuthor(ctx, {
      route: 'adminResendMessage',
      request: { orderId: order.id, message: params.name },
      write: async (tx) => ({ body: await resendMailBy(tx, ctx.store, ctx.by, order, params.name) }),
      refer: ({ id }) => id,
      readAgain: async (tx, id) => ({ body: await readQueuedMail(tx, ctx.store, order, id) }),
    })
    // The address is for callers who may read orders.
    return ctx.permissions.has('orders:read') ? answer : { ...answer, body: { ...answer.body, recipient: '' } }
  },
})
