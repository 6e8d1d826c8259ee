import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import type { QueuedClient } from '../../core/fair-queue.ts'
import { newId } from '../../core/ids.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import type { Hashing, StoreCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { recordCustomerEvent } from './customer-events.ts'
import { findAccount, findCustomerByEmail, insertCustomer, lockAccount, replacePasswordHash } from './customers.sql.ts'
import { clearFailures, countFailure, type FailureLimit, secondsLocked } from './email.sql.ts'
import { queueVerification } from './email-verification.ts'
import { mayMail } from './mail-limits.ts'
import { linkOrigin } from './mail-links.ts'
import { normalisePhone } from './phone.ts'
import { openSession } from './sessions.ts'

export const lockWindowMs = minutes(15)
const maxFailures = 10

export type SignUp = { name: string; email: string; password: string; phone?: string; storefrontUrl?: string }

export const signUp = async (ctx: StoreCtx, { name, email, password, phone, storefrontUrl }: SignUp) => {
  const account = { name: readName(name), email: readEmail(email), contactPhone: readContactPhone(phone) }
  const origin = linkOrigin(ctx, storefrontUrl)
  // Only saves the hashing. Concurrent sign-ups are decided by the insert below.
  if ((await findCustomerByEmail(ctx.db, ctx.store.id, account.email)) !== undefined) throw taken()
  const passwordHash = await ctx.passwords.runQueued(hashingClientOf(ctx), ({ hash }) => hash(password))
  const isMailed = await mayMail(ctx, 'email-verify-mail')
  return ctx.db.tx(async (tx) => {
    const id = newId('cus', ctx.clock.now())
    const { language } = ctx
    const made = await insertCustomer(tx, ctx.store.id, { id, ...account, phone: null, passwordHash, language })
    if (made === undefined) throw taken()
    recordCustomerEvent(tx, ctx.store, made, 'customer.created')
    if (isMailed) await queueVerification(tx, ctx, { email: account.email, customerId: id, origin })
    return { user: toCustomer(made), ...(await openSession(tx, ctx, id)) }
  })
}

const taken = () => fail('CONFLICT', 'This email already has an account. Sign in instead.')

const wrong = () => fail('UNAUTHORIZED', 'The email or the password is wrong.')

export const signIn = async (ctx: StoreCtx, { email, password }: { email: string; password: string }) => {
  const who = normaliseEmail(email)
  const found = await findAccount(ctx.db, ctx.store.id, who)
  const { account, newHash } = await tryPassword(ctx, who, async ({ check, hash, isOutdated }) => {
    // Checked even without an account, so that the response time does not reveal whether there is one.
    const isRight = await check(password, found?.passwordHash)
    if (found === undefined || !isRight) throw wrong()
    return { account: found, newHash: isOutdated(found.passwordHash) ? await hash(password) : undefined }
  })
  return ctx.db.tx(async (tx) => {
    // A concurrent change of password or email ends all sessions. Without the lock this one would survive it.
    if ((await lockAccount(tx, ctx.store.id, account.id, who, account.passwordHash)) === undefined) throw wrong()
    if (newHash !== undefined) await replacePasswordHash(tx, ctx.store.id, account.id, account.passwordHash, newHash)
    return { user: toCustomer(account), ...(await openSession(tx, ctx, account.id)) }
  })
}

/**
 * Checks a password in the hashing queue. `who` is an email, or `signedIn` of a customer. `work` must do nothing but
 * hashing: all stores share the hashing slots, and waiting for a busy store's connection would block them.
 *
 * Every attempt counts as a failure until it succeeds, so concurrent guesses cannot exceed the limit. It is counted
 * after it leaves the queue: a customer who signs in many times at once with the right password then has only a few
 * open attempts and does not reach the limit.
 */
export const tryPassword = async <Result>(
  ctx: StoreCtx,
  who: string,
  work: (hashing: Hashing) => Promise<Result>,
): Promise<Result> => {
  const lock = { storeId: ctx.store.id, who, windowMs: lockWindowMs, maxFailures }
  // Guesses at a locked account are refused here, before they enter the hashing queue.
  await refuseLocked(ctx, lock)
  return ctx.passwords.runQueued(hashingClientOf(ctx), async (hashing) => {
    // Few of these statements run at once, so they may use the reserved connections.
    const db = ctx.db.forWork('keys')
    if ((await countFailure(db, lock)) === undefined) throw locked((await secondsLocked(db, lock)) ?? 1)
    const result = await work(hashing)
    await clearFailures(db, ctx.store.id, who)
    return result
  })
}

/** The hashing queue of a request. */
export const hashingClientOf = ({ store, clientAddress }: StoreCtx): QueuedClient => ({
  storeId: store.id,
  client: clientAddress,
})

const refuseLocked = async (ctx: StoreCtx, lock: FailureLimit) => {
  const seconds = await secondsLocked(ctx.db, lock)
  if (seconds !== undefined) throw locked(seconds)
}

const locked = (seconds: number) =>
  fail('RATE_LIMITED', 'Rate limit exceeded: too many wrong passwords. Try again later.', {
    headers: { 'retry-after': String(seconds) },
  })

const readName = (text: string) => {
  const name = text.trim()
  if (name === '') throw fail('BAD_REQUEST', 'name must not be blank.')
  return name
}

/** Emails are compared in this form. */
export const normaliseEmail = (text: string) => text.normalize('NFC').trim().toLowerCase()

/** A basic check for typos. Only a delivered message proves an address. */
export const readEmail = (text: string) => {
  const email = normaliseEmail(text)
  if (!isMailAddress(email)) throw fail('BAD_REQUEST', 'email must be an email address, such as asha@example.com.')
  return email
}

/** Stored as typed. Forms send an empty string for no phone. */
export const readContactPhone = (text = '') => {
  const phone = text.trim()
  if (phone !== '' && normalisePhone(phone) === undefined)
    throw fail('BAD_REQUEST', 'phone must be a phone number in international form, such as +919876543210.')
  return phone
}
