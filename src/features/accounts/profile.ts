import { fail } from '../../core/errors.ts'
import { isUniqueViolation } from '../../db/database.ts'
import { lockCustomer } from '../access/guests.sql.ts'
import type { CustomerCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { type CustomerRow, findCustomer, findPassword } from './customers.sql.ts'
import { readContactPhone, readEmail } from './email.ts'
import { provePassword, wrongPassword } from './password-change.ts'
import type { CustomerChange } from './profile.contract.ts'
import { type Profile, updateProfile } from './profile.sql.ts'
import { endOtherSessions } from './sessions.ts'
import type { CustomerProfile } from './sign-in.contract.ts'

export const showCustomer = async ({ db, store, shopper }: CustomerCtx): Promise<CustomerProfile> =>
  toCustomer(found(await findCustomer(db, store.id, shopper.customerId)))

/**
 * Omitted fields do not change, and setting the current value is no change. Changing a sign-in email needs the password
 * and ends all other sessions.
 */
export const changeCustomer = async (ctx: CustomerCtx, change: CustomerChange): Promise<CustomerProfile> => {
  const wanted = readChange(change)
  if (wanted.email === undefined) return save(ctx, wanted, null)
  const { email, passwordHash } = await findPassword(ctx.db, ctx.store.id, ctx.shopper.customerId)
  if (passwordHash === null || wanted.email === email) return save(ctx, wanted, null)
  if (wanted.email === null) throw fail('BAD_REQUEST', 'email is used for sign-in: it can be replaced but not removed.')
  await provePassword(ctx, passwordHash, change.currentPassword, async () => {})
  return save(ctx, wanted, passwordHash)
}

/** `provenHash` is the hash of the password that the caller has just proved. */
const save = async (
  ctx: CustomerCtx,
  wanted: Partial<Profile>,
  provenHash: string | null,
): Promise<CustomerProfile> => {
  const { customerId } = ctx.shopper
  try {
    return await ctx.db.tx(async (tx) => {
      await lockCustomer(tx, ctx.store.id, customerId)
      const before = found(await findCustomer(tx, ctx.store.id, customerId))
      const after = { ...before, ...wanted }
      if (isSame(before, after)) return toCustomer(before)
      const { passwordHash } = await findPassword(tx, ctx.store.id, customerId)
      if (passwordHash !== null && before.email !== after.email) {
        if (passwordHash !== provenHash) throw wrongPassword()
        await endOtherSessions(tx, ctx)
      }
      return toCustomer(await updateProfile(tx, ctx.store.id, customerId, after))
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
