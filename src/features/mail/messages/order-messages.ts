import { isWebAddress } from '../../../core/web-address.ts'
import type { OrderSnapshot } from '../../orders/order-events.ts'
import type { Block, MailContent } from '../render/blocks.ts'
import { greet, type MessageCtx, paragraph } from './message.ts'
import { factsOf, itemsOf, parcelsOf, trackingLinkOf } from './order-parts.ts'

type OrderMessage = (ctx: MessageCtx, order: OrderSnapshot) => MailContent

type Wording = {
  subject(data: Data): string
  heading(data: Data): string
  text(data: Data): string
}
type Data = { store: string; number: string; amount: string }

/** A message about an order: `first` follows the opening paragraph, `last` ends the mail. */
const tell = (
  ctx: MessageCtx,
  order: OrderSnapshot,
  wording: Wording,
  { amount = '', first = [], last = [] }: { amount?: string; first?: readonly Block[]; last?: readonly Block[] },
): MailContent => {
  const data = { store: ctx.store, number: String(order.number), amount }
  return {
    subject: wording.subject(data),
    preview: wording.text(data),
    blocks: [
      { kind: 'heading', text: wording.heading(data) },
      greet(ctx, order.customer.name),
      paragraph(wording.text(data)),
      ...first,
      ...last,
    ],
    reason: ctx.texts.reasons.order(ctx),
  }
}

const wholeOrder = (ctx: MessageCtx, order: OrderSnapshot): Block[] => [itemsOf(ctx, order, true), factsOf(ctx, order)]

const orderPlaced: OrderMessage = (ctx, order) => {
  const { orderPlaced: wording } = ctx.texts
  const amount = ctx.format.money(order.totalMinor, order.currency)
  const next =
    order.paymentMethod === 'cod'
      ? [wording.payOnDelivery({ amount })]
      : order.paymentStatus === 'paid'
        ? []
        : [wording.awaitingPayment]
  return tell(ctx, order, wording, { first: next.map(paragraph), last: wholeOrder(ctx, order) })
}

const orderPaid: OrderMessage = (ctx, order) => {
  const { orderPaid: wording } = ctx.texts
  const hasDownloads = order.lines.some(({ digital }) => digital !== null)
  return tell(ctx, order, wording, {
    amount: ctx.format.money(order.totalMinor, order.currency),
    first: hasDownloads ? [paragraph(wording.downloads), visitShop(ctx)] : [],
    last: wholeOrder(ctx, order),
  })
}

const orderPaymentFailed: OrderMessage = (ctx, order) => {
  const { orderPaymentFailed: wording } = ctx.texts
  const next =
    order.expiresAt === null ? wording.payAgain : wording.payUntil({ time: ctx.format.dateTime(order.expiresAt) })
  return tell(ctx, order, wording, {
    first: [paragraph(next), viewOrder(ctx, order)],
    last: wholeOrder(ctx, order),
  })
}

const orderCancelled: OrderMessage = (ctx, order) => {
  const { orderCancelled: wording } = ctx.texts
  const isPaid = order.paymentStatus === 'paid' || order.paymentStatus === 'partially_refunded'
  const next = isPaid ? [wording.willBeRefunded] : order.paymentStatus === 'refunded' ? [] : [wording.notPaid]
  return tell(ctx, order, wording, { first: next.map(paragraph), last: [itemsOf(ctx, order, true)] })
}

const orderShipped: OrderMessage = (ctx, order) => {
  const link =
    order.shipments.map(trackingLinkOf).findLast((url) => url !== null) ?? webAddressOrNull(order.trackingUrl)
  return tell(ctx, order, ctx.texts.orderShipped, {
    first: [
      ...(link === null ? [] : [{ kind: 'button', label: ctx.texts.buttons.track, url: link } satisfies Block]),
      ...parcelsOf(ctx, order),
    ],
    last: [itemsOf(ctx, order, false), factsOf(ctx, order), viewOrder(ctx, order)],
  })
}

const orderDelivered: OrderMessage = (ctx, order) => {
  const { deliveredAt } = order
  const { labels } = ctx.texts
  return tell(ctx, order, ctx.texts.orderDelivered, {
    first:
      deliveredAt === null
        ? []
        : [{ kind: 'facts', rows: [{ label: labels.deliveredOn, value: ctx.format.dateTime(deliveredAt) }] }],
    last: [itemsOf(ctx, order, true), viewOrder(ctx, order)],
  })
}

/**
 * The event is recorded when a refund succeeds, so the newest successful one is meant. Its reason is left out: it may be
 * a note of an operator or an internal word.
 */
const orderRefunded: OrderMessage = (ctx, order) => {
  const { orderRefunded: wording, labels } = ctx.texts
  const money = (minor: number) => ctx.format.money(minor, order.currency)
  const succeeded = order.refunds.filter(({ status }) => status === 'succeeded')
  const newest = succeeded.at(-1) ?? order.refunds.at(-1)
  const all = succeeded
    .filter(({ isOfDuplicate }) => !isOfDuplicate)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  const amount = money(newest?.amountMinor ?? order.totalMinor)
  return tell(ctx, order, wording, {
    amount,
    first: [paragraph(wording.whenItArrives)],
    last: [
      {
        kind: 'facts',
        rows: [
          { label: labels.order, value: String(order.number) },
          { label: labels.refund, value: amount },
          ...(succeeded.length > 1 ? [{ label: labels.refundedSoFar, value: money(all) }] : []),
          { label: labels.total, value: money(order.totalMinor) },
        ],
      },
    ],
  })
}

const visitShop = ({ texts, storeUrl }: MessageCtx): Block => ({
  kind: 'button',
  label: texts.buttons.visitShop,
  url: storeUrl,
})

const viewOrder = ({ texts, storeUrl }: MessageCtx, { id }: OrderSnapshot): Block => ({
  kind: 'button',
  label: texts.buttons.viewOrder,
  url: `${storeUrl}/orders/${encodeURIComponent(id)}`,
})

const webAddressOrNull = (text: string | null) => (text !== null && isWebAddress(text) ? text : null)

export const orderMessages = {
  'order.placed': orderPlaced,
  'order.paid': orderPaid,
  'order.payment_failed': orderPaymentFailed,
  'order.cancelled': orderCancelled,
  'order.shipped': orderShipped,
  'order.delivered': orderDelivered,
  'order.refunded': orderRefunded,
} satisfies Record<string, OrderMessage>

export type OrderMessageName = keyof typeof orderMessages

export const isOrderMessage = (name: string): name is OrderMessageName => Object.hasOwn(orderMessages, name)
