import { randomInt } from 'node:crypto'
import { hours, minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import { SmsRefused } from '../../providers/sms/sender.ts'
import { limitRate } from '../access/rate-limit.ts'
import { claimCart } from '../cart/claim.ts'
import type { StoreCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { type CustomerRow, findCustomerByPhone, insertCustomer } from './customers.sql.ts'
import * as sql from './otp.sql.ts'
import { mayReceiveCodes, normalisePhone, type Phone } from './phone.ts'
import { openSession } from './sessions.ts'

export const codeLifeMs = minutes(5)
const attemptsPerCode = 3
const mostAnHour = 5

/**
 * Counts, then sends. The message goes out after the commit: a vendor can take seconds, and what was sent cannot be
 * rolled back. Nothing here asks whether somebody has the number, so the answer cannot tell.
 */
export const requestOtp = async (ctx: StoreCtx, phoneAsTyped: string) => {
  const phone = readReachablePhone(ctx, phoneAsTyped)
  // Before anything is counted for the phone or the store: what is refused here must not use up their requests.
  await limitRate(ctx, ctx.clientAddress, {
    action: 'otp',
    most: ctx.store.otpClientLimit,
    windowMs: hours(1),
    text: 'Rate limit exceeded: too many codes were requested from this network. Try again later.',
  })
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const counted = await countRequest(ctx, phone, hashCode(ctx, phone, code))
  await sendCode(ctx, counted, code)
  return { success: true, expiresAt: counted.expiresAt.toISOString() }
}

/** `hour` is null in a store without a cap. */
type Counted = sql.CountedRequest & { phone: string; codeHash: string; hour: Date | null }

const countRequest = (ctx: StoreCtx, phone: string, codeHash: string): Promise<Counted> =>
  ctx.db.tx(async (tx) => {
    const terms = { lifeMs: codeLifeMs, attempts: attemptsPerCode, mostAnHour }
    const request = await sql.replaceCode(tx, ctx.store.id, { phone, codeHash, ...terms })
    if (request === undefined) {
      const text = `Rate limit exceeded: ${mostAnHour} codes an hour for one phone number.`
      throw comeBackIn(await sql.secondsToNextCode(tx, ctx.store.id, phone), text)
    }
    return { ...request, phone, codeHash, hour: await countStoreMessage(tx, ctx) }
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
      const doubt = 'The message with the code may not arrive. If it does, the code is good; if not, ask for another.'
      throw fail('BAD_GATEWAY', doubt, { cause: error })
    }
    await takeBack(ctx, counted)
    throw fail('BAD_GATEWAY', 'The message with the code could not be sent.', { cause: error })
  }
}

const takeBack = (ctx: StoreCtx, counted: Counted) =>
  ctx.db.tx(async (tx) => {
    await sql.takeBackRequest(tx, ctx.store.id, counted)
    if (counted.hour !== null) await sql.takeBackStoreMessage(tx, ctx.store.id, counted.hour)
  })

export type OtpAttempt = { phone: string; otp: string; guestCartId?: string }

/**
 * The attempt is spent before the code is compared, so however many guesses arrive together, three are looked at. The
 * code is used up along with what it is used for: a fault on our side leaves it good for the attempts that are left.
 */
export const verifyOtp = async (ctx: StoreCtx, { phone: phoneAsTyped, otp, guestCartId }: OtpAttempt) => {
  const { e164: phone } = readPhone(phoneAsTyped)
  const attempt = await sql.spendAttempt(ctx.db, ctx.store.id, phone)
  if (attempt === undefined) throw gone()
  if (!ctx.otpHashes.verify(boundCode(ctx, phone, otp), attempt.codeHash))
    throw fail('UNAUTHORIZED', 'The code is wrong.')
  return ctx.db.tx(async (tx) => {
    const [used, known] = await Promise.all([
      sql.useUpCode(tx, ctx.store.id, phone, attempt.codeHash),
      findCustomerByPhone(tx, ctx.store.id, phone),
    ])
    if (used === undefined) throw gone()
    const id = known?.id ?? newId('cus', ctx.clock.now())
    const [customer, session] = await Promise.all([known ?? makeCustomer(tx, ctx, id, phone), openSession(tx, ctx, id)])
    // A cart that cannot be claimed is no reason to keep somebody out.
    if (guestCartId !== undefined) await claimCart(tx, ctx, id, guestCartId)
    return { customer: toCustomer(customer), ...session }
  })
}

const gone = () =>
  fail('GONE', 'There is no code for this phone number, or it is expired or used up. Ask for a new one.')

const makeCustomer = async (tx: Tx, ctx: StoreCtx, id: string, phone: string): Promise<CustomerRow> => {
  const nothingElse = { name: '', email: null, contactPhone: '', passwordHash: null }
  const made = await insertCustomer(tx, ctx.store.id, { id, phone, ...nothingElse })
  // Codes of one phone are used one at a time, so nobody else can have made this customer meanwhile.
  if (made === undefined) throw new Error('a customer with this phone appeared while its code was being used')
  return made
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
