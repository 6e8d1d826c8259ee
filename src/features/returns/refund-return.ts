import type { Tx } from '../../db/database.ts'
import { writeOnceByAuthor } from '../access/idempotency.ts'
import type { AdminCtx, Author } from '../context.ts'
import type { PaymentCtx } from '../payments/providers.ts'
import { supportLimitOf } from '../payments/refund-for-merchant.ts'
import { type RefundTerms, requestRefund, tryRefundNow } from '../payments/refunds.ts'
import { writeReturn } from './returns.sql.ts'
import { holdReturn, noteChange, readReturn } from './returns.ts'

type RefundOfReturn = { amount?: number | undefined }

/** Refunds the items of a return, or an amount for them. They are back in stock or not since they have arrived. */
export const requestReturnRefund = async (
  tx: Tx,
  ctx: PaymentCtx,
  by: Author,
  id: string,
  { amount }: RefundOfReturn,
  readTerms: () => Promise<Omit<RefundTerms, 'by'>> = async () => ({}),
): Promise<string | null> => {
  const { held } = await holdReturn(tx, ctx, id, ['approved', 'received'])
  const request = { ...(amount === undefined ? { items: held.items } : { amount }), reason: `Return ${id}` }
  const refund = await requestRefund(
    tx,
    ctx,
    held.orderId,
    { ...request, restock: false },
    {
      ...(await readTerms()),
      by,
    },
  )
  const refundId = refund?.id ?? null
  await writeReturn(tx, ctx.store.id, id, { status: 'refunded', refundId })
  noteChange(tx, ctx.store, by, id, 'refunded', { status: { before: held.status, after: 'refunded' } })
  return refundId
}

/** The same for staff or a program, who wait some seconds for the provider. */
export const refundReturn = async (ctx: AdminCtx, id: string, body: RefundOfReturn) => {
  let isNew = false
  const { body: refundId } = await writeOnceByAuthor<string | null>(ctx, {
    route: 'adminRefundReturn',
    request: [id, body],
    write: async (tx) => {
      isNew = true
      return { body: await requestReturnRefund(tx, ctx, ctx.by, id, body, () => supportLimitOf(tx, ctx)) }
    },
    refer: (refund) => refund ?? '',
    readAgain: async (_, refund) => ({ body: refund || null }),
  })
  if (refundId !== null && isNew) await tryRefundNow(ctx, { id: refundId, status: 'pending' })
  return readReturn(ctx.db, ctx, id)
}
