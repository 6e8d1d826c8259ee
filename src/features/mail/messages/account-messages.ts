import type { MailContent } from '../render/blocks.ts'
import { greet, type MessageCtx, note, paragraph } from './message.ts'

type Wording = {
  subject(data: { store: string }): string
  heading(data: { store: string }): string
  text(data: { store: string }): string
  validity: string
  notYou: string
}

/** A mail whose purpose is one link, which is also there as text. */
const sendLink = (
  ctx: MessageCtx,
  wording: Wording,
  { name, url, label, reason }: { name: string; url: string; label: string; reason: string },
): MailContent => ({
  subject: wording.subject(ctx),
  preview: wording.text(ctx),
  blocks: [
    { kind: 'heading', text: wording.heading(ctx) },
    greet(ctx, name),
    paragraph(wording.text(ctx)),
    { kind: 'button', label, url },
    paragraph(wording.validity),
    note(wording.notYou),
    { kind: 'copyLink', text: ctx.texts.linkBelow, url },
  ],
  reason,
})

export type LinkMail = { name: string; url: string }

export const passwordReset = (ctx: MessageCtx, { name, url }: LinkMail): MailContent =>
  sendLink(ctx, ctx.texts.passwordReset, {
    ...{ name, url, label: ctx.texts.buttons.resetPassword, reason: ctx.texts.reasons.account(ctx) },
  })

/** Without the name: whoever signs up can enter any name, and the address of anybody. */
export const emailVerify = (ctx: MessageCtx, url: string): MailContent =>
  sendLink(ctx, ctx.texts.emailVerify, {
    ...{ name: '', url, label: ctx.texts.buttons.confirmAddress, reason: ctx.texts.reasons.account(ctx) },
  })

export const staffInvitation = (
  ctx: MessageCtx,
  { name, url, invitedBy }: LinkMail & { invitedBy: string },
): MailContent => {
  const { staffInvitation: wording, buttons, reasons } = ctx.texts
  const text = () => wording.text({ ...ctx, invitedBy })
  return sendLink(
    ctx,
    {
      ...wording,
      text,
      subject: () => wording.subject({ ...ctx, invitedBy }),
      heading: () => wording.heading({ ...ctx, invitedBy }),
    },
    { name, url, label: buttons.acceptInvitation, reason: reasons.account(ctx) },
  )
}

export const staffReset = (ctx: MessageCtx, { name, url }: LinkMail): MailContent =>
  sendLink(ctx, ctx.texts.staffReset, {
    ...{ name, url, label: ctx.texts.buttons.resetPassword, reason: ctx.texts.reasons.account(ctx) },
  })

export const otpCode = (ctx: MessageCtx, code: string): MailContent => {
  const wording = ctx.texts.otpCode
  const data = { store: ctx.store, code }
  return {
    subject: wording.subject(data),
    preview: wording.validity,
    blocks: [
      { kind: 'heading', text: wording.heading(data) },
      paragraph(wording.text(data)),
      { kind: 'code', text: code },
      paragraph(wording.validity),
      note(wording.notYou),
    ],
    reason: ctx.texts.reasons.account(ctx),
  }
}
