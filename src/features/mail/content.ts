import { hours, minutes } from '../../core/clock.ts'
import type { Language } from '../../core/languages.ts'
import { returnOrigin } from '../access/storefront-url.ts'
import { listLowStock } from '../catalog/low-stock.sql.ts'
import type { Services, Store } from '../context.ts'
import { mailSealContext } from '../events/record.ts'
import type { OrderSnapshot } from '../orders/order-events.ts'
import type { QueuedMail } from './mail.sql.ts'
import { emailVerify, otpCode, passwordReset, staffInvitation, staffReset } from './messages/account-messages.ts'
import { stockLow, webhookDisabled } from './messages/merchant-messages.ts'
import { createMessageCtx } from './messages/message.ts'
import { isOrderMessage, orderMessages } from './messages/order-messages.ts'
import type { MailContent } from './render/blocks.ts'
import { pickMailLanguage } from './texts/texts.ts'

/** Makes the links of mail when it is sent. Null: there is nobody to send one to. */
export type MailLinks = {
  reset(store: Store, email: string): Promise<MadeLink | null>
  verify(store: Store, email: string, customerId: string): Promise<MadeLink | null>
}
type MadeLink = { token: string; name: string }

export type MailCtx = Pick<
  Services,
  'db' | 'clock' | 'mail' | 'mailFrom' | 'mailSeal' | 'onMailGivenUp' | 'publicUrl'
> & {
  links: MailLinks
  store: Store
}

/** `storeUrl` is the storefront that the reader uses. `code` is what a development sender prints. */
export type WrittenMail = {
  to: string
  language: Language
  content: MailContent
  storeUrl: string
  code: string | null
}

/** Why a mail is not sent, in words. */
export class MailSkipped extends Error {
  override name = 'MailSkipped'
}

/** A request for a link is old after this time: the shopper has given up or asked again. */
const resetRequestMs = minutes(30)
const verifyRequestMs = hours(24)
const codeMs = minutes(5)

/** Writes a mail, or throws `MailSkipped`. */
export const writeMail = async (ctx: MailCtx, mail: QueuedMail): Promise<WrittenMail> => {
  const { message } = mail
  if (isOrderMessage(message)) return writeOrderMail(ctx, mail, message)
  switch (message) {
    case 'stock.low':
      return writeLowStock(ctx, mail)
    case 'webhook.disabled': {
      const reason = mail.data.reason === 'gone' || mail.data.reason === 'merchant' ? mail.data.reason : 'failing'
      const about = { endpointId: textOf(mail.data.endpointId), url: textOf(mail.data.url), reason } as const
      return write(ctx, mail, mail.recipient ?? ctx.store.contact.email, (message) => webhookDisabled(message, about))
    }
    case 'otp.code': {
      refuseExpired(ctx, mail, codeMs)
      const code = openSealed(ctx, mail)
      return { ...write(ctx, mail, mail.recipient, (message) => otpCode(message, code)), code }
    }
    case 'password.reset': {
      refuseExpired(ctx, mail, resetRequestMs)
      const made = await ctx.links.reset(ctx.store, mail.recipient ?? '')
      const link = { name: made?.name ?? '', url: linkTo(ctx, mail, 'reset-password', made) }
      return write(ctx, mail, mail.recipient, (message) => passwordReset(message, link))
    }
    case 'email.verify': {
      refuseExpired(ctx, mail, verifyRequestMs)
      const made = await ctx.links.verify(ctx.store, mail.recipient ?? '', textOf(mail.data.customerId))
      const url = linkTo(ctx, mail, 'verify-email', made)
      return write(ctx, mail, mail.recipient, (message) => emailVerify(message, url))
    }
    case 'staff.invitation':
    case 'staff.reset': {
      refuseExpired(ctx, mail, hours(24))
      const token = openSealed(ctx, mail)
      const link = {
        name: textOf(mail.data.name),
        url: `${ctx.publicUrl}/admin/set-password?token=${encodeURIComponent(token)}`,
      }
      return write(ctx, mail, mail.recipient, (written) =>
        message === 'staff.reset'
          ? staffReset(written, link)
          : staffInvitation(written, { ...link, invitedBy: textOf(mail.data.invitedBy) }),
      )
    }
  }
}

const writeOrderMail = (ctx: MailCtx, mail: QueuedMail, message: keyof typeof orderMessages): WrittenMail => {
  const { order } = mail
  if (order === null) throw new MailSkipped('the event no longer exists')
  if (message === 'order.payment_failed') refuseSettled(ctx, mail, order)
  return write(
    ctx,
    { language: mail.language ?? order.language ?? mail.customerLanguage, data: { origin: order.storefrontUrl } },
    mail.recipient ?? order.customer.email,
    (written) => orderMessages[message](written, order),
  )
}

/** "You can pay again" must not reach a shopper who cannot, or who has paid. */
const refuseSettled = ({ clock }: MailCtx, { isSettled }: QueuedMail, { expiresAt }: OrderSnapshot) => {
  if (isSettled) throw new MailSkipped('the order was paid or cancelled since')
  if (expiresAt !== null && Date.parse(expiresAt) <= clock.now()) throw new MailSkipped('the time to pay has passed')
}

const writeLowStock = async (ctx: MailCtx, mail: QueuedMail): Promise<WrittenMail> => {
  const variants = await listLowStock(ctx.db, ctx.store.id)
  const [first] = variants
  if (first === undefined) throw new MailSkipped('nothing is low in stock any more')
  return write(ctx, mail, ctx.store.contact.email, (message) => stockLow(message, { ...first, variants }))
}

const write = (
  { store }: MailCtx,
  { language: wanted, data }: Pick<QueuedMail, 'language' | 'data'>,
  to: string | null,
  compose: (ctx: ReturnType<typeof createMessageCtx>) => MailContent,
): WrittenMail => {
  const language = pickMailLanguage([wanted, store.locale])
  const storeUrl = storefrontOf(store, data)
  const content = compose(createMessageCtx(store, language, storeUrl))
  return { to: to ?? '', language, content, storeUrl, code: null }
}

const openSealed = ({ mailSeal, store }: MailCtx, { sealed, recipient }: QueuedMail): string => {
  const opened = sealed === null ? null : mailSeal.open(sealed, mailSealContext(store, recipient ?? ''))
  if (opened === null) throw new MailSkipped('its code was encrypted with another VITRINE_SECRET')
  return opened
}

const refuseExpired = ({ clock }: MailCtx, { data, createdAt }: QueuedMail, lifetimeMs: number) => {
  const given = typeof data.expiresAt === 'string' ? Date.parse(data.expiresAt) : Number.NaN
  const expiresAtMs = Number.isNaN(given) ? createdAt.getTime() + lifetimeMs : given
  if (expiresAtMs <= clock.now()) throw new MailSkipped('it expired before it could be sent')
}

const linkTo = ({ store }: MailCtx, { data }: QueuedMail, page: string, made: MadeLink | null) => {
  if (made === null) throw new MailSkipped('there is no such account, or nothing to confirm')
  return `${storefrontOf(store, data)}/${page}?token=${encodeURIComponent(made.token)}`
}

/** The storefront that the shopper used, while it is on the allowlist of the store; otherwise its domain. */
const storefrontOf = (store: Store, { origin }: QueuedMail['data']) => returnOrigin(store, textOf(origin))

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
