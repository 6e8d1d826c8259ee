import { randomInt } from 'node:crypto'
import { days, hours, minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId, randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { SmsRefused } from '../../providers/sms/sender.ts'
import { limitRate } from '../access/rate-limit.ts'
import { inLineOf } from '../cart/cart.ts'
import { claimCart } from '../cart/claim.ts'
import type { StoreCtx } from '../context.ts'
import {
  type Binding,
  bindCode,
  endBoundCode,
  isProven,
  spendBoundAttempt,
  unbindCode,
  useUpBoundCode,
} from './bound-codes.sql.ts'
import { toCustomer } from './customer.ts'
import { type CustomerRow, findCustomerByPhone, insertCustomer } from './customers.sql.ts'
import * as sql from './otp.sql.ts'
import { mayReceiveCodes, normalisePhone, type Phone } from './phone.ts'
import { openSession } from './sessions.ts'

export const codeLifeMs = minutes(5)
/** How long the token of a code that was used proves its holder at later requests. */
const proofLifeMs = days(90)
const attemptsPerCode = 3
const mostAnHour = 5

/**
 * Counts, then sends. The message goes out after the commit: a vendor can take seconds, and what was sent cannot be
 * rolled back. Nothing here asks whether somebody has the number, so the answer cannot tell.
 */
export const requestOtp = async (ctx: StoreCtx, { phone: phoneAsTyped, requestToken: proof }: OtpRequest) => {
  const phone = readReachablePhone(ctx, phoneAsTyped)
  // Before anything is counted for the phone or the store: what is refused here must not use up their requests.
  await limitRate(ctx, ctx.clientAddress, {
    action: 'otp',
    most: ctx.store.otpClientLimit,
    windowMs: hours(1),
    text: 'Rate limit exceeded: too many codes were requested from this network. Try again later.',
  })
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const requestToken = `otr_${randomText(32)}`
  const asked = { phone, codeHash: hashCode(ctx, phone, code), tokenHash: hashSecret(requestToken) }
  const counted = await countRequest(ctx, asked, proof)
  await sendCode(ctx, counted, code)
  return { success: true, expiresAt: counted.expiresAt.toISOString(), requestToken }
}

export type OtpRequest = { phone: string; requestToken?: string }

type Asked = Binding & { codeHash: string }

/** `hour` is null in a store without a cap. */
type Counted = sql.CountedRequest & Asked & { isKnown: boolean; hour: Date | null }

/**
 * Whoever has signed in with a code of this phone before, and proves it, has a count of their own, which strangers cannot
 * use up. Such a code is good only with its token, so that strangers get no more codes to guess (docs/decisions/0028).
 */
const countRequest = (ctx: StoreCtx, asked: Asked, proof: string | undefined): Promise<Counted> =>
  ctx.db.tx(async (tx) => {
    const { id: storeId } = ctx.store
    const code = { ...asked, lifeMs: codeLifeMs, attempts: attemptsPerCode, mostAnHour }
    const isKnown = proof !== undefined && (await isProven(tx, storeId, { ...asked, tokenHash: hashSecret(proof) }))
    const request = await (isKnown ? sql.countKnownRequest(tx, storeId, code) : sql.replaceCode(tx, storeId, code))
    if (request === undefined) {
      const text = `Rate limit exceeded: ${mostAnHour} codes an hour for one phone number.`
      throw comeBackIn(await sql.secondsToNextCode(tx, storeId, asked.phone, isKnown), text)
    }
    const [hour] = await Promise.all([countStoreMessage(tx, ctx), bindCode(tx, storeId, code)])
    return { ...request, ...asked, isKnown, hour }
  })

const countStoreMessage = async (tx: Tx, { store, clock }: StoreCtx) => {
  if (store.otpHourlyCap === null) return null
  const counted = await sql.countStoreMessage(tx, store.id, store.otpHourlyCap)
  if (counted !== undefined) return counted.hour
  const secondsOfHour = Math.floor(clock.now() / 1000) % 3600
  throw comeBackIn(3600 - secondsOfHour, 'Rate limit exceeded: this store has sent all the codes of this hour.')
}

const comeBackIn = (seconds: number, text: string) =>
  fail('RATE_LIMITED', text, { headers: { 'retry-after': String(seconds) } })

/** A message that certainly was not sent is not counted; one that may have been is (docs/decisions/0015). */
const sendCode = async (ctx: StoreCtx, counted: Counted, code: string) => {
  const { name: storeName, publicId: storeId } = ctx.store
  const text = `${code} is your code for ${storeName}. It is good for 5 minutes. Tell it to nobody.`
  try {
    await ctx.sms.send({ phone: counted.phone, code, text, storeId, storeName })
  } catch (error) {
    if (!(error instanceof SmsRefused)) {
      // A known caller's code is good only with its request token, which this answer cannot carry.
      const advice = counted.isKnown ? 'Ask for another.' : 'If it does, the code is good; if not, ask for another.'
      throw fail('BAD_GATEWAY', `The message with the code may not arrive. ${advice}`, { cause: error })
    }
    await takeBack(ctx, counted)
    throw fail('BAD_GATEWAY', 'The message with the code could not be sent.', { cause: error })
  }
}

/** Whether or not the caller is still there. */
const takeBack = (ctx: StoreCtx, counted: Counted) =>
  ctx.db.forStore(ctx.store.id).tx(async (tx) => {
    if (counted.isKnown) await sql.takeBackKnownRequest(tx, ctx.store.id, counted)
    else await sql.takeBackRequest(tx, ctx.store.id, counted)
    await unbindCode(tx, ctx.store.id, counted)
    if (counted.hour !== null) await sql.takeBackStoreMessage(tx, ctx.store.id, counted.hour)
  })

export type OtpAttempt = { phone: string; otp: string; guestCartId?: string; requestToken?: string }

/**
 * The attempt is spent before the code is compared, so however many guesses arrive together, three are looked at. The
 * code is used up along with what it is used for: a fault on our side leaves it good for the attempts that are left.
 */
export const verifyOtp = async (ctx: StoreCtx, attempted: OtpAttempt) => {
  const { e164: phone } = readPhone(attempted.phone)
  const attempt = await spendAttempt(ctx, phone, attempted.requestToken)
  if (!ctx.otpHashes.verify(boundCode(ctx, phone, attempted.otp), attempt.codeHash))
    throw fail('UNAUTHORIZED', 'The code is wrong.')
  // In the line of the cart, so that a busy cart is waited for without a connection.
  const { db } = attempted.guestCartId === undefined ? ctx : inLineOf(ctx, attempted.guestCartId)
  return db.tx(async (tx) => {
    const [isUsed, known] = await Promise.all([
      useUpCode(tx, ctx, attempt),
      findCustomerByPhone(tx, ctx.store.id, phone),
    ])
    if (!isUsed) throw gone()
    const customer = known ?? (await makeCustomer(tx, ctx, phone))
    const session = await openSession(tx, ctx, customer.id)
    // The sign-in succeeds when there is no such cart to claim.
    if (attempted.guestCartId !== undefined) await claimCart(tx, ctx, customer.id, attempted.guestCartId)
    return { customer: toCustomer(customer), ...session }
  })
}

/** `tokenHash` is null for the code that counts without a token: the last one that was sent to the phone. */
type Attempt = { phone: string; codeHash: string; tokenHash: string | null }

/**
 * With the token of its request, a code has tries of its own, and it stays good when others ask for codes or guess. A
 * token that is unknown, or of another phone, counts as none.
 */
const spendAttempt = async (ctx: StoreCtx, phone: string, requestToken: string | undefined): Promise<Attempt> => {
  if (requestToken !== undefined) {
    const tokenHash = hashSecret(requestToken)
    const bound = await spendBoundAttempt(ctx.db, ctx.store.id, { phone, tokenHash })
    if (bound?.codeHash === null) throw gone()
    if (bound !== undefined) return { phone, codeHash: bound.codeHash, tokenHash }
  }
  const attempt = await sql.spendAttempt(ctx.db, ctx.store.id, phone)
  if (attempt === undefined) throw gone()
  return { phone, codeHash: attempt.codeHash, tokenHash: null }
}

/**
 * A code is used once, with its token or without. Both ways change the row of the phone first, as long as the code is the
 * last one that was sent there, so of two at once the second finds the code used.
 */
const useUpCode = async (tx: Tx, { store }: StoreCtx, { phone, codeHash, tokenHash }: Attempt): Promise<boolean> => {
  const used = sql.useUpCode(tx, store.id, phone, codeHash)
  if (tokenHash === null) {
    await Promise.all([used, endBoundCode(tx, store.id, phone, codeHash)])
    return (await used) !== undefined
  }
  const bound = useUpBoundCode(tx, store.id, { phone, codeHash, tokenHash }, proofLifeMs)
  await Promise.all([used, bound])
  return (await bound) !== undefined
}

const gone = () =>
  fail('GONE', 'There is no code for this phone number, or it is expired or used up. Ask for a new one.')

const makeCustomer = async (tx: Tx, ctx: StoreCtx, phone: string): Promise<CustomerRow> => {
  const nothingElse = { name: '', email: null, contactPhone: '', passwordHash: null }
  const id = newId('cus', ctx.clock.now())
  const made = await insertCustomer(tx, ctx.store.id, { id, phone, ...nothingElse })
  // Two codes of one phone can be used at the same time. The insert waits for the other, whose customer is there then.
  const customer = made ?? (await findCustomerByPhone(tx, ctx.store.id, phone))
  if (customer === undefined) throw new Error('a customer was neither made nor found')
  return customer
}

/** A number that this store sends codes to. Whether somebody has it makes no difference. */
const readReachablePhone = ({ store: { otpCountries } }: StoreCtx, text: string): string => {
  const phone = readPhone(text)
  if (!mayReceiveCodes(phone))
    throw fail('BAD_REQUEST', 'Codes are not sent to this kind of phone number. Use the number of a mobile phone.')
  if (otpCountries.length > 0 && !otpCountries.includes(phone.country ?? ''))
    throw fail('BAD_REQUEST', 'This store does not send codes to phone numbers of this country.')
  return phone.e164
}

const readPhone = (text: string): Phone => {
  const phone = normalisePhone(text)
  if (phone === undefined)
    throw fail('BAD_REQUEST', 'phone must be a phone number in international form, such as +919876543210.')
  return phone
}

const hashCode = (ctx: StoreCtx, phone: string, code: string) => ctx.otpHashes.sign(boundCode(ctx, phone, code))

/** A code is good for one phone in one store, and its hash is of no use for another. */
const boundCode = (ctx: StoreCtx, phone: string, code: string) => `${ctx.store.id}.${phone}.${code}`
