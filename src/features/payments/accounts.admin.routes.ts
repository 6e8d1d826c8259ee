import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { paymentAccountsContract } from './accounts.admin.contract.ts'
import { countEvents, type InboxEvent, listEvents } from './inbox.sql.ts'
import { replayEvent } from './inbox.ts'
import { activatePaymentAccount, listPaymentAccounts, setPaymentAccount } from './manage-accounts.ts'

export const paymentAccountRoutes = adminRoutes(paymentAccountsContract, {
  adminListPaymentAccounts: async ({ ctx }) => ({ body: { data: await listPaymentAccounts(ctx) } }),
  adminUpdatePaymentAccount: async ({ ctx, params, body }) => ({
    body: await setPaymentAccount(ctx, params.provider, body),
  }),
  adminActivatePaymentAccount: async ({ ctx, params }) => ({
    body: await activatePaymentAccount(ctx, params.provider),
  }),
  adminListInbox: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { orderId: query.orderId ?? null, outcome: query.outcome ?? null }
    return answerList(ctx, 'inbox', query, {
      read: (position, limit) =>
        listEvents(db, store.id, { ...filter, before: position === undefined ? null : Number(position[0]), limit }),
      count: (limit) => countEvents(db, store.id, filter, limit),
      positionOf: ({ id }) => [id],
      show: showEvent,
    })
  },
  adminReplayEvent: async ({ ctx, params }) => ({
    body: showEvent(await replayEvent(ctx, params.eventNumber, { by: ctx.by, storeId: ctx.store.publicId })),
  }),
})

const showEvent = ({ storeId: _, receivedAt, ...event }: InboxEvent) => ({
  ...event,
  receivedAt: receivedAt.toISOString(),
})
