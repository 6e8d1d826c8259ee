import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { carriersAdminContract } from './carriers.admin.contract.ts'
import { countReceived, listReceived, type ReceivedEvent, replayReceived } from './inbox.ts'
import { listCarrierAccounts, setCarrierAccount } from './manage-carriers.ts'

export const carrierAdminRoutes = adminRoutes(carriersAdminContract, {
  adminListCarriers: async ({ ctx }) => ({ body: { data: await listCarrierAccounts(ctx) } }),
  adminUpdateCarrier: async ({ ctx, params, body }) => ({ body: await setCarrierAccount(ctx, params.carrier, body) }),
  adminListInbox: ({ ctx, query }) => {
    const { db, store } = ctx
    const filter = { kind: query.kind ?? null, orderId: query.orderId ?? null, outcome: query.outcome ?? null }
    return answerList(ctx, 'inbox', query, {
      read: (position, limit) =>
        listReceived(db, store, filter, { before: position === undefined ? null : Number(position[0]), limit }),
      count: (limit) => countReceived(db, store, filter, limit),
      positionOf: ({ id }) => [id],
      show: showReceived,
    })
  },
  adminReplayEvent: async ({ ctx, params }) => ({
    body: showReceived(await replayReceived(ctx, params.eventNumber, { by: ctx.by, storeId: ctx.store.publicId })),
  }),
})

const showReceived = ({ storeId: _, receivedAt, ...event }: ReceivedEvent) => ({
  ...event,
  receivedAt: receivedAt.toISOString(),
})
