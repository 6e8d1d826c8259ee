import { randomInt } from 'node:crypto'
import { days, hours, minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { pipeline } from '../../db/pipeline.ts'
import { SmsRefused } from '../../providers/sms/sender.ts'
import { limitRate } from '../access/rate-limit.ts'
import { inCartQueue } from '../cart/cart.ts'
import { claimCart } from '../cart/claim.ts'
import type { StoreCtx } from '../context.ts'
import { mailSealContext, queueMail } from '../events/record.ts'
import {
  type Binding,
  bindCode,
  consumeBoundCode,
  endBoundCode,
  isProven,
  spendBoundAttempt,
  unbindCode,
} from './bound-codes.sql.ts'
import { toCustomer } from './customer.ts'
import type { CustomerRow } from './customers.sql.ts'
import * as sql from './otp.sql.ts'
import {
  findCustomerOf,
  findOwner,
  makeCustomerOf,
  proveByCode,
  type Recipient,
  type RecipientInput,
  readReachable,
  readRecipient,
} from './otp-recipient.ts'
import { openSession, openSessionWithCommit } from './sessions.ts'

export const codeTtlMs = minutes(5)
/** How long the request token of a used code proves its holder at later requests. */
const proofTtlMs = days(90)
const attemptsPerCode = 3
const maxPerHour = 5

/**
 * Counts, then sends. The message goes out after the commit, because a provider can take seconds and a sent message
 * cannot be rolled back; mail is queued and sent by a job. Accounts are not looked up, so the response cannot reveal
 * whether there is one.
 */
export const requestOtp = async (ctx: StoreCtx, { requestToken: proof, ...input }: OtpRequest) => {
  const recipient = readReachable(ctx, input)
  // First, so that a refused request does not count for the recipient or the store.
  await limitRate(ctx, ctx.clientAddress, {
    action: 'otp',
    max: ctx.store.otpClientLimit,
    windowMs: hours(1),
    text: 'Rate limit exceeded: too many codes were requested from this network. Try again later.',
  })
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const requestToken = `otr_${randomText(32)}`
  const { address } = recipient
  const request = { address, codeHash: hashCode(ctx, address, code), tokenHash: hashSecret(requestToken) }
  const count = async (tx: Tx) => {
    const done = await countRequest(tx, ctx, recipient, request, proof)
    if (recipient.kind === 'email') await queueCode(tx, ctx, recipient, code, done.expiresAt)
    return done
  }
  const isPlain = recipient.kind === 'phone' && proof === undefined && ctx.store.otpHourlyCap === null
  const counted = await (isPlain ? ctx.db.quickTx((db) => countPlain(db, ctx, request), count) : ctx.db.tx(count))
  if (recipient.kind === 'phone') await sendCode(ctx, counted, code)
  return { success: true, expiresAt: counted.expiresAt.toISOString(), requestToken }
}

/** The code is in the database only in encrypted form, until the mail is sent. */
const queueCode = (tx: Tx, ctx: StoreCtx, { address }: Recipient, code: string, expiresAt: Date) =>
  queueMail(tx, ctx.store, {
    message: 'otp.code',
    recipient: address,
    language: ctx.language,
    data: { expiresAt: expiresAt.toISOString() },
    sealed: ctx.mailSeal.seal(code, mailSealContext(ctx.store, address)),
  })

export type OtpRequest = RecipientInput & { requestToken?: string }

type CodeRequest = Binding & { codeHash: string }

/** `hour` is null in a store without a cap. */
type Counted = sql.CountedRequest & CodeRequest & { isKnown: boolean; hour: Date | null }

/**
 * A client that proves an earlier sign-in with this phone or email has a separate count, which others cannot use up. Its
 * codes are valid only with their token, so that others get no more codes to guess (docs/decisions/0028).
 */
const countRequest = async (
  tx: Tx,
  ctx: StoreCtx,
  recipient: Recipient,
  request: CodeRequest,
  proof: string | undefined,
): Promise<Counted> => {
  const { id: storeId } = ctx.store
  const code = { ...request, ...codeLimits }
  const isKnown = proof !== undefined && (await isProven(tx, storeId, { ...request, tokenHash: hashSecret(proof) }))
  const counted = await (isKnown ? sql.countKnownRequest(tx, storeId, code) : sql.replaceCode(tx, storeId, code))
  if (counted === undefined) {
    const text = `Rate limit exceeded: ${maxPerHour} codes per hour for one ${nameOf[recipient.kind]}.`
    throw retryIn(await sql.secondsToNextCode(tx, storeId, request.address, isKnown), text)
  }
  const hour = await countStoreMessage(tx, ctx)
  tx.withCommit(() => bindCode(tx, storeId, code))
  return { ...counted, ...request, isKnown, hour }
}

const codeLimits = { ttlMs: codeTtlMs, attempts: attemptsPerCode, maxPerHour }

/** What most requests are, in one statement. Undefined: it has reached the limit. */
const countPlain = async (db: Queries, { store }: StoreCtx, request: CodeRequest): Promise<Counted | undefined> => {
  const counted = await sql.replaceAndBindCode(db, store.id, { ...request, ...codeLimits })
  return counted && { ...counted, ...request, isKnown: false, hour: null }
}

const nameOf = { phone: 'phone number', email: 'email address' } as const

const countStoreMessage = async (tx: Tx, { store, clock }: StoreCtx) => {
  if (store.otpHourlyCap === null) return null
  const counted = await sql.countStoreMessage(tx, store.id, store.otpHourlyCap)
  if (counted !== undefined) return counted.hour
  const secondsOfHour = Math.floor(clock.now() / 1000) % 3600
  throw retryIn(3600 - secondsOfHour, 'Rate limit exceeded: this store has reached its limit of codes for this hour.')
}

const retryIn = (seconds: number, text: string) =>
  fail('RATE_LIMITED', text, { headers: { 'retry-after': String(seconds) } })

/** A message counts unless it was definitely not sent (docs/decisions/0015). */
const sendCode = async (ctx: StoreCtx, counted: Counted, code: string) => {
  const { name: storeName, publicId: storeId } = ctx.store
  const text = `${code} is your code for ${storeName}. It is valid for 5 minutes. Do not share it.`
  try {
    await ctx.sms.send({ phone: counted.address, code, text, storeId, storeName })
  } catch (error) {
    if (!(error instanceof SmsRefused)) {
      // A known client's code is valid only with its request token, which an error response does not carry.
      const advice = counted.isKnown ? 'Request another.' : 'If it arrives, the code is valid; if not, request another.'
      throw fail('BAD_GATEWAY', `The message with the code may not arrive. ${advice}`, { cause: error })
    }
    await uncount(ctx, counted)
    throw fail('BAD_GATEWAY', 'The message with the code could not be sent.', { cause: error })
  }
}

/** On a new handle without `onDisconnect`, so that it also runs when the client has disconnected. */
const uncount = (ctx: StoreCtx, counted: Counted) =>
  ctx.db.forStore(ctx.store.id).tx(async (tx) => {
    if (counted.isKnown) await sql.uncountKnownRequest(tx, ctx.store.id, counted)
    else await sql.uncountRequest(tx, ctx.store.id, counted)
    await unbindCode(tx, ctx.store.id, counted)
    if (counted.hour !== null) await sql.uncountStoreMessage(tx, ctx.store.id, counted.hour)
  })

export type OtpAttempt = RecipientInput & { otp: string; guestCartId?: string; requestToken?: string }

/**
 * The attempt is spent before the code is compared, so at most three concurrent guesses are checked. The code is
 * consumed in the transaction that signs in: after an internal error it is still valid for the remaining attempts.
 *
 * With its request token, a code has separate attempts and is not affected by requests or guesses of others. A token
 * that is unknown or belongs to another recipient is ignored.
 */
export const verifyOtp = async (ctx: StoreCtx, attempted: OtpAttempt) => {
  const recipient = readRecipient(attempted)
  if (attempted.requestToken === undefined) return signInByCode(ctx, recipient, attempted, null)
  try {
    return await signInByCode(ctx, recipient, attempted, hashSecret(attempted.requestToken))
  } catch (error) {
    if (!(error instanceof UnknownToken)) throw error
    return signInByCode(ctx, recipient, attempted, null)
  }
}

class UnknownToken extends Error {}

/** `tokenHash` is null for the code that needs no token: the last one sent to the address. */
const signInByCode = async (
  ctx: StoreCtx,
  recipient: Recipient,
  { otp, guestCartId }: OtpAttempt,
  tokenHash: string | null,
) => {
  const { address } = recipient
  // In the queue of the cart, so that waiting for a busy cart does not hold a connection.
  const { db } = guestCartId === undefined ? ctx : inCartQueue(ctx, guestCartId)
  const { customer, session } = await db.txAfter(spendOnce(ctx, address, tokenHash), async (tx, spending) => {
    // Only a read leaves with the attempt: what is written must not depend on the guess before the attempt is known to be there.
    const [spent, known] = await pipeline(spending, findCustomerOf(tx, ctx, recipient))
    if (spent === undefined) throw tokenHash === null ? noValidCode(recipient) : new UnknownToken()
    const { codeHash } = spent
    if (codeHash === null) throw noValidCode(recipient)
    if (!ctx.otpHashes.verify(boundCode(ctx, address, otp), codeHash)) throw fail('UNAUTHORIZED', 'The code is wrong.')
    const [isUsed, found] = await pipeline(
      consumeCode(tx, ctx, { address, codeHash, tokenHash }),
      findOrMake(tx, ctx, known, recipient),
    )
    if (!isUsed) throw noValidCode(recipient)
    // The sign-in succeeds even when the cart cannot be claimed. Carts are locked before customers.
    if (guestCartId !== undefined) await claimCart(tx, ctx, found.id, guestCartId)
    const customer = await proveByCode(tx, ctx, found, recipient)
    if (customer === undefined) throw noValidCode(recipient)
    // For an account that is erased at this moment, the code is used up and there is no session. A claim is undone.
    if (guestCartId === undefined) return { customer, session: openSessionWithCommit(tx, ctx, customer.id) }
    const opened = await openSession(tx, ctx, customer.id)
    return { customer, session: () => opened }
  })
  return { customer: toCustomer(customer), ...session() }
}

const findOrMake = async (tx: Tx, ctx: StoreCtx, known: CustomerRow | undefined, recipient: Recipient) =>
  (await findOwner(tx, ctx, known, recipient)) ?? (await makeCustomerOf(tx, ctx, recipient))

type Spent = { codeHash: string | null }

/** When the transaction is run again, the attempt is not spent again. */
const spendOnce = ({ store }: StoreCtx, address: string, tokenHash: string | null) => {
  let spent: Promise<Spent | undefined> | undefined
  const spend = (db: Queries) =>
    tokenHash === null
      ? sql.spendAttempt(db, store.id, address)
      : spendBoundAttempt(db, store.id, { address, tokenHash })
  return (db: Queries) => {
    spent ??= spend(db).catch((error) => {
      spent = undefined
      throw error
    })
    return spent
  }
}

type Attempt = { address: string; codeHash: string; tokenHash: string | null }

/**
 * A code is used once, with or without its token. Both paths first update the row of the address if the code is the last
 * one sent there, so of two concurrent uses the second finds the code used.
 */
const consumeCode = async (
  tx: Tx,
  { store }: StoreCtx,
  { address, codeHash, tokenHash }: Attempt,
): Promise<boolean> => {
  const [used, bound] = await pipeline(
    sql.consumeCode(tx, store.id, address, codeHash),
    tokenHash === null
      ? endBoundCode(tx, store.id, address, codeHash)
      : consumeBoundCode(tx, store.id, { address, codeHash, tokenHash }, proofTtlMs),
  )
  return (tokenHash === null ? used : bound) !== undefined
}

const noValidCode = ({ kind }: Recipient) =>
  fail('GONE', `There is no valid code for this ${nameOf[kind]}: it has expired or was used up. Request a new one.`)

const hashCode = (ctx: StoreCtx, address: string, code: string) => ctx.otpHashes.sign(boundCode(ctx, address, code))

/** Includes store and address, so that the hash is useless for any other. */
const boundCode = (ctx: StoreCtx, address: string, code: string) => `${ctx.store.id}.${address}.${code}`
