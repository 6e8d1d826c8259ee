import { fail } from '../../core/errors.ts'
import { isUniqueViolation } from '../../db/database.ts'
import { lockCustomer } from '../access/guests.ts'
import type { CustomerCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { recordCustomerEvent } from './customer-events.ts'
import { type Credentials, type CustomerRow, findCredentials, findCustomer } from './customers.sql.ts'
import { readContactPhone, readEmail } from './email.ts'
import { queueVerification } from './email-verification.ts'
import { mayMail } from './mail-limits.ts'
import { linkOrigin } from './mail-links.ts'
import { deleteMailTokens } from './mail-tokens.sql.ts'
import { provePassword, wrongPassword } from './password-change.ts'
import type { CustomerChange } from './profile.contract.ts'
import { type Profile, updateProfile } from './profile.sql.ts'
import { endOtherSessions } from './sessions.ts'
import type { CustomerProfile } from './sign-in.contract.ts'

export const showCustomer = async ({ db, store, shopper }: CustomerCtx): Promise<CustomerProfile> =>
  toCustomer(found(await findCustomer(db, store.id, shopper.customerId)))

/**
 * Omitted fields do not change, and setting the current value is no change. Changing a sign-in email needs the password,
 * if there is one, and ends all other sessions. The new email gets a mail that asks to confirm it.
 */
export const changeCustomer = async (ctx: CustomerCtx, change: CustomerChange): Promise<CustomerProfile> => {
  const wanted = readChange(change)
  const origin = linkOrigin(ctx, change.storefrontUrl)
  const { email } = wanted
  if (email === undefined) return save(ctx, wanted, unproven)
  const before = await findCredentials(ctx.db, ctx.store.id, ctx.shopper.customerId)
  if (email === before.email) return save(ctx, wanted, unproven)
  if (email === null) {
    if (isNeeded(before)) throw neededEmail()
    return save(ctx, wanted, unproven)
  }
  if (isOnlyWay(before)) throw replacedTooSoon()
  const { passwordHash } = before
  if (passwordHash !== null) await provePassword(ctx, passwordHash, change.currentPassword, async () => {})
  const isMailed = await mayMail(ctx, 'email-verify-mail')
  return save(ctx, wanted, { provenHash: passwordHash, confirmAt: isMailed ? origin : null })
}

/** Without this email the customer could not sign in. */
const isNeeded = ({ passwordHash, emailVerified, phone }: Credentials) =>
  passwordHash !== null || (emailVerified && phone === null)

/** Codes to this email are the only way to sign in: after a typo in a new one, there would be none. */
const isOnlyWay = ({ passwordHash, emailVerified, phone }: Credentials) =>
  passwordHash === null && emailVerified && phone === null

const replacedTooSoon = () =>
  fail('BAD_REQUEST', 'Set a password first: codes to this email are the only way to sign in to this account.')

const neededEmail = () => fail('BAD_REQUEST', 'email is used for sign-in: it can be replaced but not removed.')

/**
 * `provenHash` is the hash of the password that the caller has just proved. `confirmAt` is the origin of the link that
 * the new email gets, or null.
 */
type EmailChange = { provenHash: string | null; confirmAt: string | null }

const unproven: EmailChange = { provenHash: null, confirmAt: null }

const save = async (
  ctx: CustomerCtx,
  wanted: Partial<Profile>,
  { provenHash, confirmAt }: EmailChange,
): Promise<CustomerProfile> => {
  const { customerId } = ctx.shopper
  try {
    return await ctx.db.tx(async (tx) => {
      await lockCustomer(tx, ctx.store.id, customerId)
      const before = found(await findCustomer(tx, ctx.store.id, customerId))
      const after = { ...before, ...wanted }
      if (isSame(before, after)) return toCustomer(before)
      if (before.email !== after.email) {
        const credentials = await findCredentials(tx, ctx.store.id, customerId)
        if (credentials.passwordHash !== null && credentials.passwordHash !== provenHash) throw wrongPassword()
        if (after.email === null && isNeeded(credentials)) throw neededEmail()
        if (isOnlyWay(credentials)) throw replacedTooSoon()
        if (credentials.passwordHash !== null || credentials.emailVerified) await endOtherSessions(tx, ctx)
        await deleteMailTokens(tx, ctx.store.id, customerId, null)
        if (after.email !== null && confirmAt !== null) {
          await queueVerification(tx, ctx, { email: after.email, customerId, origin: confirmAt })
        }
      }
      const changed = await updateProfile(tx, ctx.store.id, customerId, after)
      recordCustomerEvent(tx, ctx.store, changed, 'customer.updated')
      return toCustomer(changed)
    })
  } catch (error) {
    // The unique index covers only sign-in emails.
    if (isUniqueViolation(error)) throw fail('CONFLICT', 'This email already has an account.')
    throw error
  }
}

const readChange = ({ name, email, phone }: CustomerChange): Partial<Profile> => ({
  ...(name === undefined ? {} : { name: name.trim() }),
  ...(email === undefined ? {} : { email: email.trim() === '' ? null : readEmail(email) }),
  ...(phone === undefined ? {} : { contactPhone: readContactPhone(phone) }),
})

const isSame = (a: Profile, b: Profile) => a.name === b.name && a.email === b.email && a.contactPhone === b.contactPhone

const found = (row: CustomerRow | undefined): CustomerRow => {
  // A session belongs to a customer by foreign key.
  if (row === undefined) throw new Error('the customer of a session does not exist')
  return row
}
