import { fail } from '../../core/errors.ts'
import { toWire } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Tx } from '../../db/database.ts'
import { readStore } from '../access/directory.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import type { AdminCtx } from '../context.ts'
import { readAdminOrder } from '../orders/admin-order.ts'
import type { RefundBody, RefundPreviewBody } from './orders.admin.contract.ts'
import { previewRefund, requestRefund, tryRefundNow } from './refunds.ts'

/** Refunds an order for staff or a program. The refund is stored with its idempotency key before the provider is called. */
export const refundForMerchant = async (ctx: AdminCtx, orderId: string, body: RefundBody) => {
  refuseBoth(body)
  let isNew = false
  const { body: refundId } = await writeOnceByAuthor(ctx, {
    route: 'adminRefundOrder',
    request: { orderId, ...body },
    write: async (tx): Promise<{ body: string | null }> => {
      const refund = await requestRefund(tx, ctx, orderId, body, { by: ctx.by, ...(await supportLimitOf(tx, ctx)) })
      isNew = true
      return { body: refund?.id ?? null }
    },
    refer: (id) => id ?? '',
    readAgain: async (_, id) => ({ body: id || null }),
  })
  if (refundId !== null && isNew) await tryRefundNow(ctx, { id: refundId, status: 'pending' })
  return readRefund(ctx, orderId, refundId, body)
}

/** What such a refund would return, and the most that the caller may refund now. */
export const previewForMerchant = async (ctx: AdminCtx, orderId: string, body: RefundPreviewBody) => {
  refuseBoth(body)
  const { amountMinor, maximumMinor, currency } = await ctx.db.tx(async (tx) =>
    previewRefund(tx, ctx, orderId, body, (await limitOf(tx, ctx)) ?? 0),
  )
  return { amount: toWire(amountMinor, currency), maximum: toWire(maximumMinor, currency), currency }
}

const refuseBoth = ({ amount, items }: RefundPreviewBody) => {
  if (amount !== undefined && items !== undefined) {
    throw fail('BAD_REQUEST', 'A refund has either amount or items.')
  }
}

/** In minor units, of one order in all. Null: nothing. */
const limitOf = async (tx: Tx, { permissions, store }: AdminCtx): Promise<number | null> =>
  permissions.has('orders:refund') ? Number.POSITIVE_INFINITY : (await readStore(tx, store.id)).supportRefundLimitMinor

/** What the caller may refund of one order, in all. */
export const supportLimitOf = async (tx: Tx, ctx: AdminCtx): Promise<{ maxMinor: number }> => {
  const maxMinor = await limitOf(tx, ctx)
  if (maxMinor === null) {
    throw fail('FORBIDDEN', 'This needs the permission orders:refund: the store lets support refund nothing.')
  }
  return { maxMinor }
}

const readRefund = async (ctx: AdminCtx, orderId: string, refundId: string | null, { reason = '' }: RefundBody) => {
  const { refunds, updatedAt } = await readAdminOrder(ctx, orderId)
  if (refundId !== null) {
    return mustExist(
      refunds.find(({ id }) => id === refundId),
      `refund ${refundId}`,
    )
  }
  const nothing = { id: null, amount: 0, status: 'succeeded', items: [], detail: '', reference: null } as const
  return { ...nothing, items: [], reason, createdAt: updatedAt }
}
