import { setTimeout } from 'node:timers/promises'
import { hours, minutes, seconds } from '../../core/clock.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import { shortenText } from '../../core/text.ts'
import { errorMessage } from '../../core/thrown.ts'
import { withTimeLimit } from '../../core/time-limit.ts'
import { MailFailed, MailRefused } from '../../providers/mail/sender.ts'
import { type MailCtx, MailSkipped, writeMail } from './content.ts'
import { addLetterhead } from './letterhead.ts'
import * as sql from './mail.sql.ts'

/** After each failed attempt; the sixth is the last. */
const retryDelaysMs = [minutes(1), minutes(5), minutes(30), hours(2), hours(12)]

/** Together with `noteMs` and `notePausesMs` less than the limit of the job, so that a mail that was sent is noted. */
const sendMs = seconds(30)
const noteMs = seconds(2)
const notePausesMs = [250, seconds(1), seconds(3)]

/** Sends a claimed mail, outside any transaction, and notes the outcome. An error is for `postponeOrFail`. */
export const sendMail = async (ctx: MailCtx, mail: sql.QueuedMail, signal?: AbortSignal): Promise<void> => {
  try {
    const recipient = await withTimeLimit({ limitMs: sendMs, signal, name: 'sending a mail' }, (limited) =>
      deliver(ctx, mail, limited),
    )
    if (recipient !== null) await noteSent(ctx, mail, recipient)
  } catch (error) {
    if (!(error instanceof MailSkipped)) throw error
    await sql.endMail(ctx.db, ctx.store.id, mail.id, { state: 'skipped', error: error.message, recipient: null })
  }
}

/** A mail was sent, but that could not be noted. It is sent again when its claim ends. */
export class MailNotNoted extends Error {
  override name = 'MailNotNoted'
}

/** Repeated, because a mail that is not noted is sent twice. */
const noteSent = async ({ db, store }: MailCtx, { id, message }: sql.QueuedMail, recipient: string) => {
  const end = () =>
    withTimeLimit({ limitMs: noteMs, name: 'noting a mail' }, () =>
      sql.endMail(db, store.id, id, { state: 'sent', error: '', recipient }),
    )
  for (const pauseMs of [...notePausesMs, null]) {
    try {
      await end()
      break
    } catch (error) {
      if (pauseMs === null) throw new MailNotNoted('a mail was sent, but that could not be noted', { cause: error })
      await setTimeout(pauseMs)
    }
  }
  if (message === 'stock.low') await sql.skipCoveredLowStock(db, store.id, id, 'another mail about low stock lists it')
}

/** Returns the recipient, or null if the mail was postponed. */
const deliver = async (ctx: MailCtx, mail: sql.QueuedMail, signal: AbortSignal | undefined): Promise<string | null> => {
  const { store } = ctx
  if (ctx.mail === null) throw new MailSkipped('there is no SMTP server; set VITRINE_SMTP_URL')
  if (store.mailOff.includes(mail.message)) throw new MailSkipped('the store has switched this message off')
  if (mail.message === 'stock.low' && !(await takeTurn(ctx, mail))) return null
  const { to, language, content, storeUrl, code } = await writeMail(ctx, mail)
  if (to === '') throw new MailSkipped('there is no address to send it to')
  if (!isMailAddress(to)) throw new MailSkipped(`${shortenText(to, 100)} is not an address that mail can be sent to`)
  const parts = addLetterhead(ctx, language, content, storeUrl)
  const date = new Date(ctx.clock.now())
  await ctx.mail.send({ id: mail.id, name: mail.message, ...parts, to, language, date, code }, signal)
  return to
}

/** At most one mail about low stock a day for a store. */
const takeTurn = ({ db, store }: MailCtx, { id }: sql.QueuedMail): Promise<boolean> =>
  db.tx(async (tx) => {
    await sql.lockLowStockMail(tx, store.id)
    const isTaken = (await sql.takeLowStockTurn(tx, store.id, id)) > 0
    await (isTaken ? sql.coverOtherLowStock(tx, store.id, id) : sql.postponeLowStock(tx, store.id))
    return isTaken
  })

const maxErrorLength = 500

/** Tries a mail again later. It has failed if the server refuses it for good, or after the last attempt. */
export const postponeOrFail = async (
  { db, onMailGivenUp }: Pick<MailCtx, 'db' | 'onMailGivenUp'>,
  mail: sql.QueuedMail,
  error: unknown,
): Promise<void> => {
  if (error instanceof MailNotNoted) return
  const words = shortenText(error instanceof MailFailed ? error.answer : errorMessage(error), maxErrorLength)
  const delayMs = error instanceof MailRefused ? undefined : retryDelaysMs[mail.attempts - 1]
  if (delayMs !== undefined) {
    await sql.postponeMail(db, mail.storeNumber, mail.id, delayMs, words)
    return
  }
  const ended = await sql.endMail(db, mail.storeNumber, mail.id, { state: 'failed', error: words, recipient: null })
  const { storeId, id: mailId, message, attempts } = mail
  if (ended > 0) onMailGivenUp({ storeId, mailId, message, attempts })
}
