import { hours } from '../../core/clock.ts'
import { Failure, fail } from '../../core/errors.ts'
import type { Tx } from '../../db/database.ts'
import { limitRate } from '../access/rate-limit.ts'
import type { SignInWay, StoreCtx } from '../context.ts'
import { queueLimitedMail } from '../events/record.ts'

export const maxMailsPerHour = 5

/** Calls that send mail, or that use a token from one. Each has its own counts. */
type MailAction = 'password-forgot' | 'password-reset' | 'email-verify' | 'email-verify-mail'

export const limitClient = (ctx: StoreCtx, action: MailAction) =>
  limitRate(ctx, ctx.clientAddress, {
    action,
    max: ctx.store.otpClientLimit,
    windowMs: hours(1),
    text: 'Rate limit exceeded: too many requests from this network. Try again later.',
  })

/**
 * Queues a mail, at most five of a kind per hour to one address. The caller has counted the client before, so that a
 * call that its limit refuses does not count for the address.
 */
export const mailTo = async (tx: Tx, { store }: StoreCtx, mail: Parameters<typeof queueLimitedMail>[2]) => {
  const seconds = await queueLimitedMail(tx, store, mail, maxMailsPerHour)
  if (seconds === null) return
  throw fail('RATE_LIMITED', `Rate limit exceeded: ${maxMailsPerHour} mails per hour to one email address.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** For mail that follows from another change, which succeeds without it. */
export const mayMail = async (ctx: StoreCtx, action: MailAction): Promise<boolean> => {
  if (!ctx.signIn.includes('email')) return false
  try {
    await limitClient(ctx, action)
    return true
  } catch (error) {
    if (isRateLimited(error)) return false
    throw error
  }
}

const isRateLimited = (error: unknown) => error instanceof Failure && error.code === 'RATE_LIMITED'

/** Refuses a call that needs a sender which this service does not have. */
export const requireSender = ({ signIn }: StoreCtx, way: Exclude<SignInWay, 'password'>) => {
  if (signIn.includes(way)) return
  const messages = way === 'phone' ? 'text messages' : 'mail'
  throw fail('BAD_REQUEST', `This service sends no ${messages}. \`signIn\` of GET /v1/store lists the ways to sign in.`)
}
