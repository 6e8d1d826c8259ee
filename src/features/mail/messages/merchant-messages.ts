import type { Block, MailContent } from '../render/blocks.ts'
import { type MessageCtx, note, paragraph } from './message.ts'

/** `units` are available, not reserved. */
export type LowVariant = { name: string; variant: string; sku: string; outlet: string; units: number }

/** `variants` has those with the fewest units, of `total` at all outlets. */
export type LowStock = { products: number; total: number; variants: readonly LowVariant[] }

export const stockLow = (ctx: MessageCtx, { products, total, variants }: LowStock): MailContent => {
  const { stockLow: wording, labels } = ctx.texts
  const data = { store: ctx.store, count: products }
  const rows = variants.map(({ name, variant, sku, outlet, units }) => ({
    name: variant === '' ? name : `${name} · ${variant}`,
    detail: [sku, outlet].filter(Boolean).join(' · '),
    amount: ctx.texts.unitsLeft({ units, formatted: ctx.format.number(units) }),
  }))
  const more = total - variants.length
  return {
    subject: wording.subject(data),
    preview: wording.text(data),
    blocks: [
      { kind: 'heading', text: wording.heading(data) },
      paragraph(wording.text(data)),
      {
        kind: 'items',
        labels: { item: labels.item, amount: labels.inStock },
        rows: more === 0 ? rows : [...rows, { name: ctx.texts.moreItems(more), detail: '', amount: '' }],
        totals: [],
      },
      note(wording.whatToDo),
    ],
    reason: ctx.texts.reasons.merchant(ctx),
  }
}

/** `endpointId` is empty in mail that an older version has queued. */
export type DisabledWebhook = { endpointId: string; url: string; reason: 'gone' | 'failing' | 'merchant' }

export const webhookDisabled = (ctx: MessageCtx, { endpointId, url, reason }: DisabledWebhook): MailContent => {
  const { webhookDisabled: wording, labels } = ctx.texts
  return {
    subject: wording.subject(ctx),
    preview: wording.text(ctx),
    blocks: [
      { kind: 'heading', text: wording.heading(ctx) },
      paragraph(wording.text(ctx)),
      {
        kind: 'facts',
        rows: [
          ...(endpointId === '' ? [] : [{ label: labels.webhookId, value: endpointId }]),
          { label: labels.webhookAddress, value: url },
          { label: labels.webhookReason, value: wording.reasons[reason] },
        ],
      },
      paragraph(wording.whatToDo),
      ...(endpointId === '' ? [] : [commandsFor(ctx, endpointId)]),
    ],
    reason: ctx.texts.reasons.merchant(ctx),
  }
}

const commandsFor = ({ texts: { labels } }: MessageCtx, endpointId: string): Block => ({
  kind: 'facts',
  rows: [
    { label: labels.webhookEnable, value: `vitrine webhook enable ${endpointId}` },
    { label: labels.webhookRedeliver, value: `vitrine delivery redeliver --failed --endpoint ${endpointId}` },
  ],
})
