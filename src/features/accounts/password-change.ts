import { fail } from '../../core/errors.ts'
import { isUniqueViolation } from '../../db/database.ts'
import type { CustomerCtx, Hashing } from '../context.ts'
import { changePasswordHash, findCredentials } from './customers.sql.ts'
import { signedIn } from './email.sql.ts'
import { hashingClientOf, tryPassword } from './email.ts'
import { deleteMailTokens } from './mail-tokens.sql.ts'
import { endOtherSessions } from './sessions.ts'

export type PasswordChange = { currentPassword?: string; newPassword: string }

/**
 * Ends all other sessions and the links that reset the password. Of concurrent changes with the same current password one succeeds. An account without a
 * password needs only the session to set one.
 */
export const changePassword = async (ctx: CustomerCtx, { currentPassword, newPassword }: PasswordChange) => {
  const { email, passwordHash } = await findCredentials(ctx.db, ctx.store.id, ctx.shopper.customerId)
  if (email === null) throw fail('BAD_REQUEST', 'Add an email first: sign-in with a password needs an email.')
  const hashNew = ({ hash }: Hashing) => hash(newPassword)
  const after =
    passwordHash === null
      ? await ctx.passwords.runQueued(hashingClientOf(ctx), hashNew)
      : await provePassword(ctx, passwordHash, currentPassword, hashNew)
  await save(ctx, { before: passwordHash, after })
}

const save = async (ctx: CustomerCtx, hashes: { before: string | null; after: string }) => {
  try {
    await ctx.db.tx(async (tx) => {
      const { customerId } = ctx.shopper
      if ((await changePasswordHash(tx, ctx.store.id, customerId, hashes)) === undefined) throw wrongPassword()
      await deleteMailTokens(tx, ctx.store.id, customerId, 'password.reset')
      await endOtherSessions(tx, ctx)
    })
  } catch (error) {
    // The email was only contact data until now, and another customer signs in with it.
    if (isUniqueViolation(error)) throw fail('CONFLICT', 'This email already has an account.')
    throw error
  }
}

/**
 * Checks the password of a signed-in customer and runs `more` in the same hashing slot. The caller must check in its
 * transaction that the hash has not changed. Wrong passwords count for the customer, as failed sign-ins do for an email.
 * 403 instead of 401, because clients drop the session on 401.
 */
export const provePassword = <Result>(
  ctx: CustomerCtx,
  passwordHash: string,
  password: string | undefined,
  more: (hashing: Hashing) => Promise<Result>,
): Promise<Result> => {
  if (password === undefined) throw fail('FORBIDDEN', 'This change needs the current password: send currentPassword.')
  return tryPassword(ctx, signedIn(ctx.shopper.customerId), async (hashing) => {
    if (!(await hashing.check(password, passwordHash))) throw wrongPassword()
    return more(hashing)
  })
}

export const wrongPassword = () => fail('FORBIDDEN', 'The current password is wrong.')
