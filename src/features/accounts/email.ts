import { minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Asker, Hashing, StoreCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { findAccount, insertCustomer, lockAccount, replacePasswordHash } from './customers.sql.ts'
import { countFailure, forgetFailures, type Lock, secondsLocked } from './email.sql.ts'
import { normalisePhone } from './phone.ts'
import { openSession } from './sessions.ts'

export const lockWindowMs = minutes(15)
const mostFailures = 10

export type SignUp = { name: string; email: string; password: string; phone?: string }

export const signUp = async (ctx: StoreCtx, { name, email, password, phone }: SignUp) => {
  const account = { name: readName(name), email: readEmail(email), contactPhone: readContactPhone(phone) }
  // Only spares the hashing: of those that arrive together, the insert below lets one through.
  if ((await findAccount(ctx.db, ctx.store.id, account.email)) !== undefined) throw taken()
  const passwordHash = await ctx.passwords.inTurn(askerOf(ctx), ({ hash }) => hash(password))
  return ctx.db.tx(async (tx) => {
    const id = newId('cus', ctx.clock.now())
    const made = await insertCustomer(tx, ctx.store.id, { id, ...account, phone: null, passwordHash })
    if (made === undefined) throw taken()
    return { user: toCustomer(made), ...(await openSession(tx, ctx, id)) }
  })
}

const taken = () => fail('CONFLICT', 'This email has an account already. Sign in instead.')

const wrong = () => fail('UNAUTHORIZED', 'The email or the password is wrong.')

export const signIn = async (ctx: StoreCtx, { email, password }: { email: string; password: string }) => {
  const who = normaliseEmail(email)
  const found = await findAccount(ctx.db, ctx.store.id, who)
  const { account, newHash } = await tryPassword(ctx, who, async ({ check, hash, isOutdated }) => {
    // A caller without an account waits as long as one with an account.
    const isRight = await check(password, found?.passwordHash)
    if (found === undefined || !isRight) throw wrong()
    return { account: found, newHash: isOutdated(found.passwordHash) ? await hash(password) : undefined }
  })
  return ctx.db.tx(async (tx) => {
    // Whoever changes the password or the email ends the sessions of the old one, and this would be one more.
    if ((await lockAccount(tx, ctx.store.id, account.id, who, account.passwordHash)) === undefined) throw wrong()
    if (newHash !== undefined) await replacePasswordHash(tx, ctx.store.id, account.id, account.passwordHash, newHash)
    return { user: toCustomer(account), ...(await openSession(tx, ctx, account.id)) }
  })
}

/**
 * Hashing that tries a password, in its turn. `who` is an email, or `signedIn` of a customer. Nothing else may be done
 * in the turn: all stores share the turns, and the connections of one store may be busy.
 *
 * Every attempt counts as a failure until it has succeeded, so of guesses that arrive together no more than the limit
 * are looked at. It is counted in its turn for hashing: whoever signs in several times at once with the right password
 * then has only a few attempts open at any moment, and is not taken for a guesser.
 */
export const tryPassword = async <Result>(
  ctx: StoreCtx,
  who: string,
  work: (hashing: Hashing) => Promise<Result>,
): Promise<Result> => {
  const lock = { storeId: ctx.store.id, who, windowMs: lockWindowMs, mostFailures }
  // A flood of guesses at one account ends here, before it can keep others from their turn.
  await refuseLocked(ctx, lock)
  return ctx.passwords.inTurn(askerOf(ctx), async (hashing) => {
    // A few such statements run at once, so they may use the connections that are kept back.
    const db = ctx.db.forWork('keys')
    if ((await countFailure(db, lock)) === undefined) throw locked((await secondsLocked(db, lock)) ?? 1)
    const result = await work(hashing)
    await forgetFailures(db, ctx.store.id, who)
    return result
  })
}

/** Whose line for hashing a request waits in. */
export const askerOf = ({ store, clientAddress }: StoreCtx): Asker => ({ storeId: store.id, client: clientAddress })

const refuseLocked = async (ctx: StoreCtx, lock: Lock) => {
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

/** One account, however its address is typed. */
export const normaliseEmail = (text: string) => text.normalize('NFC').trim().toLowerCase()

/** Only a message that arrives proves an address; this catches slips of the finger. */
export const readEmail = (text: string) => {
  const email = normaliseEmail(text)
  if (!/^[^\s@\p{C}]+@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u.test(email) || email.length > 254)
    throw fail('BAD_REQUEST', 'email must be an email address, such as asha@example.com.')
  return email
}

/** Kept as it was typed, for people to read. Empty is how a form sends none. */
export const readContactPhone = (text = '') => {
  const phone = text.trim()
  if (phone !== '' && normalisePhone(phone) === undefined)
    throw fail('BAD_REQUEST', 'phone must be a phone number in international form, such as +919876543210.')
  return phone
}
