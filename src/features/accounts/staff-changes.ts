import { refuse } from '../../core/domain-errors.ts'
import { isUniqueViolation, type Tx } from '../../db/database.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { toCustomer } from './customer.ts'
import { recordCustomerEvent } from './customer-events.ts'
import { type Credentials, findCredentials } from './customers.sql.ts'
import { readContactPhone, readEmail } from './email.ts'
import { queueVerification } from './email-verification.ts'
import { deleteMailTokens } from './mail-tokens.sql.ts'
import { type Profile, updateProfile } from './profile.sql.ts'
import { deleteSessions } from './sessions.sql.ts'
import type { CustomerProfile } from './sign-in.contract.ts'
import { forgetPhone, type HeldCustomer, holdCustomer } from './staff-changes.sql.ts'

export type ContactChange = { name?: string; email?: string; phone?: string }

type ChangeCtx = { store: Store; by: Author; sendsMail: boolean; check(before: CustomerProfile): void }

/** A customer that staff change, locked until the transaction ends. Refuses one who was erased. */
export const holdCustomerOf = async (tx: Tx, store: Pick<Store, 'id'>, customerId: string): Promise<HeldCustomer> => {
  const held = await holdCustomer(tx, store.id, customerId)
  if (held === undefined) throw refuse('CUSTOMER_NOT_FOUND', { customerId })
  if (held.erasedAt !== null) throw refuse('CUSTOMER_ERASED', { customerId })
  return held
}

/**
 * Staff change contact data by the rules of the storefront, without the password of the customer: a new email is not
 * confirmed, and a new phone number is only for contact. Where the old one could sign in, all sessions and links end. What
 * is the only way to sign in stays, because nobody could use the account otherwise.
 */
export const changeContact = async (tx: Tx, ctx: ChangeCtx, customerId: string, change: ContactChange) => {
  const { store } = ctx
  const before = await holdCustomerOf(tx, store, customerId)
  ctx.check(toCustomer(before))
  const credentials = await findCredentials(tx, store.id, customerId)
  const wanted = readChange(change)
  const isNewPhone = wanted.phone !== undefined && wanted.phone !== (before.phone ?? before.contactPhone)
  const after = {
    name: wanted.name ?? before.name,
    email: wanted.email === undefined ? before.email : wanted.email,
    contactPhone: isNewPhone ? (wanted.phone ?? '') : before.contactPhone,
  }
  const isNewEmail = after.email !== before.email
  if (after.name === before.name && !isNewEmail && !isNewPhone) return toCustomer(before)
  if (isNewEmail) checkEmail(credentials, after.email)
  const dropsPhone = isNewPhone && before.phone !== null
  if (dropsPhone) {
    if (!signsInOtherwise(credentials)) throw refuse('CUSTOMER_ONLY_SIGN_IN', { field: 'phone' })
    await forgetPhone(tx, store.id, customerId)
  }
  const couldSignIn = credentials.passwordHash !== null || credentials.emailVerified
  if (dropsPhone || (isNewEmail && couldSignIn)) await deleteSessions(tx, store.id, customerId, null)
  if (isNewEmail) {
    await deleteMailTokens(tx, store.id, customerId, null)
    if (after.email !== null && ctx.sendsMail) {
      const mail = { email: after.email, customerId, origin: store.domain }
      await queueVerification(tx, { store, language: null }, mail)
    }
  }
  const changed = await saveProfile(tx, store, customerId, after)
  recordCustomerEvent(tx, store, changed, 'customer.updated')
  const changes = compareFields(contactOf(toCustomer(before)), contactOf(toCustomer(changed)))
  recordChange(tx, store, ctx.by, { action: 'customer.updated', id: customerId, changes })
  return toCustomer(changed)
}

/** The unique index covers only emails that sign in. */
const saveProfile = async (tx: Tx, store: Pick<Store, 'id'>, customerId: string, profile: Profile) => {
  try {
    return await updateProfile(tx, store.id, customerId, profile)
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('CUSTOMER_EMAIL_TAKEN', { email: profile.email ?? '' })
    throw error
  }
}

const contactOf = ({ name, email, emailVerified, phone, phoneVerified }: CustomerProfile) => ({
  ...{ name, email, emailVerified, phone, phoneVerified },
})

const checkEmail = ({ passwordHash, emailVerified, phone }: Credentials, email: string | null) => {
  const isOnlyWay = passwordHash === null && emailVerified && phone === null
  if (isOnlyWay) throw refuse('CUSTOMER_ONLY_SIGN_IN', { field: 'email' })
  if (email === null && passwordHash !== null) throw refuse('CUSTOMER_EMAIL_NEEDED', {})
}

const signsInOtherwise = ({ passwordHash, emailVerified }: Credentials) => passwordHash !== null || emailVerified

const readChange = ({ name, email, phone }: ContactChange) => ({
  name: name?.trim(),
  email: email === undefined ? undefined : email.trim() === '' ? null : readEmail(email),
  phone: phone === undefined ? undefined : readContactPhone(phone),
})
