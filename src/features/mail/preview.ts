import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { type Language, languages } from '../../core/languages.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import type { MailSender } from '../../providers/mail/sender.ts'
import type { MailFrom, Store } from '../context.ts'
import { isMessageName, messageNames } from '../events/messages.ts'
import { composeExample } from './examples.ts'
import { addLetterhead } from './letterhead.ts'
import { pickMailLanguage } from './texts/texts.ts'

type PreviewCtx = { store: Store; publicUrl: string; mailFrom: MailFrom }

/** A message with example data, as the store would send it. `language` is that of the store by default. */
export const previewMail = (ctx: PreviewCtx, message: string, language: string | undefined, now: Date) => {
  if (!isMessageName(message)) throw refuse('MESSAGE_UNKNOWN', { message, messages: messageNames })
  const chosen = language === undefined ? pickMailLanguage([ctx.store.locale]) : readLanguage(language)
  const content = composeExample(ctx.store, message, chosen, now)
  return { message, language: chosen, ...addLetterhead(ctx, chosen, content) }
}

const readLanguage = (text: string): Language => {
  const found = languages.find((known) => known === text)
  if (found === undefined) throw refuse('MAIL_LANGUAGE_UNKNOWN', { language: text, languages })
  return found
}

/** Sends an example of a message, marked as a test, and returns the answer of the server. */
export const sendTestMail = async (
  ctx: PreviewCtx,
  sender: MailSender,
  { to, message, language, now }: { to: string; message: string; language: string | undefined; now: Date },
  signal: AbortSignal,
) => {
  if (!isMailAddress(to)) throw refuse('MAIL_ADDRESS_INVALID', { address: to })
  const { message: name, subject, ...parts } = previewMail(ctx, message, language, now)
  const { answer } = await sender.send(
    { ...parts, subject: `[Test] ${subject}`, id: newId('mail'), name, to, date: now, code: null },
    signal,
  )
  return { to, message: name, sender: sender.name, answer }
}
