import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { StoreCtx } from '../context.ts'
import { recordCustomerEvent, recordKnownCustomer } from './customer-events.ts'
import { type CustomerRow, findCustomerByEmail, findCustomerByPhone, insertCustomer } from './customers.sql.ts'
import { readEmail } from './email.ts'
import { requireSender } from './mail-limits.ts'
import { deleteMailTokens, lockByEmail, takeOverByEmail } from './mail-tokens.sql.ts'
import { mayReceiveCodes, normalisePhone, type Phone } from './phone.ts'
import { hasUnconfirmedEmail, releaseUnconfirmedEmail } from './release-email.ts'
import { deleteSessions } from './sessions.sql.ts'

/**
 * Who gets a code: a phone in E.164, or a normalised email. In the tables of codes both are in the column `phone`, which
 * keeps its name because instances of the previous version still use it during an upgrade. They cannot collide, because
 * only an email contains an `@`.
 */
export type Recipient = { kind: 'phone' | 'email'; address: string }

export type RecipientInput = { phone?: string; email?: string }

export const readRecipient = ({ phone, email }: RecipientInput): Recipient => {
  if (phone !== undefined && email === undefined) return { kind: 'phone', address: readPhone(phone).e164 }
  if (email !== undefined && phone === undefined) return { kind: 'email', address: readEmail(email) }
  throw fail('BAD_REQUEST', 'Send either phone or email.')
}

/** Refuses recipients that the store does not send codes to. */
export const readReachable = (ctx: StoreCtx, input: RecipientInput): Recipient => {
  const recipient = readRecipient(input)
  requireSender(ctx, recipient.kind)
  if (recipient.kind === 'phone') checkReachable(ctx, readPhone(recipient.address))
  return recipient
}

const checkReachable = ({ store: { otpCountries } }: StoreCtx, phone: Phone) => {
  if (!mayReceiveCodes(phone))
    throw fail('BAD_REQUEST', 'Codes are not sent to this type of phone number. Use a mobile number.')
  if (otpCountries.length > 0 && !otpCountries.includes(phone.country ?? ''))
    throw fail('BAD_REQUEST', 'This store does not send codes to phone numbers of this country.')
}

const readPhone = (text: string): Phone => {
  const phone = normalisePhone(text)
  if (phone === undefined)
    throw fail('BAD_REQUEST', 'phone must be a phone number in international form, such as +919876543210.')
  return phone
}

export const findCustomerOf = (tx: Tx, { store }: StoreCtx, { kind, address }: Recipient) =>
  kind === 'phone' ? findCustomerByPhone(tx, store.id, address) : findCustomerByEmail(tx, store.id, address)

export const makeCustomerOf = async (tx: Tx, ctx: StoreCtx, recipient: Recipient): Promise<CustomerRow> => {
  const { kind, address } = recipient
  const proven =
    kind === 'phone'
      ? { phone: address, email: null, emailVerified: false }
      : { phone: null, email: address, emailVerified: true }
  const nothingElse = { name: '', contactPhone: '', passwordHash: null, language: ctx.language }
  const id = newId('cus', ctx.clock.now())
  const made = await insertCustomer(tx, ctx.store.id, { id, ...proven, ...nothingElse })
  if (made !== undefined) recordKnownCustomer(tx, ctx.store, made, 'customer.created')
  // Two codes can be used concurrently, or a sign-up with the email. The insert waits for the other one, which created
  // the customer.
  const customer = made ?? (await findCustomerOf(tx, ctx, recipient))
  if (customer === undefined) throw new Error('a customer was neither created nor found')
  return customer
}

/** The customer whom the code signs in. An email that a customer by phone has never confirmed is its owner's now. */
export const findOwner = async (tx: Tx, ctx: StoreCtx, known: CustomerRow | undefined, recipient: Recipient) => {
  if (recipient.kind === 'phone' || known === undefined || !hasUnconfirmedEmail(known)) return known
  const locked = await lockByEmail(tx, ctx.store.id, known.id, recipient.address)
  if (locked === undefined || !hasUnconfirmedEmail(locked)) return locked
  await releaseUnconfirmedEmail(tx, ctx, locked)
  return undefined
}

/**
 * Records that a code has proved the email. The password beside an email that was not confirmed may be that of another
 * person: that password, the sessions and the links end. The lock makes a concurrent sign-in with the password or
 * change of the email come before, and be ended or found here, or after, and fail. Undefined: the email was changed.
 */
export const proveByCode = async (
  tx: Tx,
  { store }: StoreCtx,
  customer: CustomerRow,
  { kind, address }: Recipient,
): Promise<CustomerRow | undefined> => {
  if (kind === 'phone') return customer
  const locked = await lockByEmail(tx, store.id, customer.id, address)
  if (locked === undefined || locked.emailVerified) return locked
  await deleteSessions(tx, store.id, customer.id, null)
  await deleteMailTokens(tx, store.id, customer.id, null)
  const taken = await takeOverByEmail(tx, store.id, customer.id)
  recordCustomerEvent(tx, store, taken, 'customer.updated')
  return taken
}
