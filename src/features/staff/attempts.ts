import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { limitRate } from '../access/rate-limit.ts'
import type { AdminPublicCtx, Hashing } from '../context.ts'
import { clearStaffFailures, countStaffFailure, type StaffFailureLimit, secondsStaffLocked } from './sign-in.sql.ts'

/** Ten failures in fifteen minutes. */
const limit = { windowMs: minutes(15), maxFailures: 10 }

/**
 * One password tried at many emails fails once for each, so failures are counted by client address too. Returns a
 * function that takes the attempt back, for one that succeeded: many people may share an address.
 */
export const countSignIn = ({ counter, clock, clientAddress }: AdminPublicCtx) =>
  limitRate({ counter, clock, store: { id: 0 } }, clientAddress, {
    ...{ action: 'staff-sign-in', max: 100, windowMs: limit.windowMs },
    text: 'Rate limit exceeded: too many failed sign-ins. Try again later.',
  })

/**
 * Checks a password in the hashing queue. Every attempt counts as a failure until it succeeds, so concurrent guesses
 * cannot exceed the limit.
 */
export const tryStaffPassword = async <Result>(
  ctx: AdminPublicCtx,
  who: string,
  work: (hashing: Hashing) => Promise<Result>,
): Promise<Result> => {
  const lock = { who, ...limit }
  await refuseLocked(ctx, lock)
  return ctx.passwords.runQueued(hashingClient(ctx), async (hashing) => {
    await countAttempt(ctx, lock)
    const result = await work(hashing)
    await clearStaffFailures(ctx.db, who)
    return result
  })
}

/** Staff belong to no store. Their queue is that of the store number 0, which no store has. */
export const hashingClient = ({ clientAddress }: AdminPublicCtx) => ({ storeId: 0, client: clientAddress })

/** Checks a code, of which as many may be wrong as passwords. */
export const tryStaffCode = async (ctx: AdminPublicCtx, staffId: string, check: () => Promise<boolean>) => {
  // Not counted with the password: a right password must not give more guesses at the code.
  const lock = { who: `code ${staffId}`, ...limit }
  await countAttempt(ctx, lock)
  if (!(await check())) return false
  await clearStaffFailures(ctx.db, lock.who)
  return true
}

const countAttempt = async ({ db }: AdminPublicCtx, lock: StaffFailureLimit) => {
  if ((await countStaffFailure(db, lock)) === undefined) throw locked((await secondsStaffLocked(db, lock)) ?? 1)
}

const refuseLocked = async ({ db }: AdminPublicCtx, lock: StaffFailureLimit) => {
  const seconds = await secondsStaffLocked(db, lock)
  if (seconds !== undefined) throw locked(seconds)
}

const locked = (seconds: number) =>
  fail('RATE_LIMITED', 'Rate limit exceeded: too many failed sign-ins. Try again later.', {
    headers: { 'retry-after': String(seconds) },
  })
