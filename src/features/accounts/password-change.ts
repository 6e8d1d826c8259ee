import { fail } from '../../core/errors.ts'
import { isUniqueViolation } from '../../db/database.ts'
import type { CustomerCtx, Hashing } from '../context.ts'
import { changePasswordHash, findPassword } from './customers.sql.ts'
import { signedIn } from './email.sql.ts'
import { askerOf, tryPassword } from './email.ts'
import { endOtherSessions } from './sessions.ts'

export type PasswordChange = { currentPassword?: string; newPassword: string }

/**
 * Ends all other sessions. Of changes that arrive together with the same current password, the statement lets one
 * through. An account that has no password gets one with the session alone.
 */
export const changePassword = async (ctx: CustomerCtx, { currentPassword, newPassword }: PasswordChange) => {
  const { email, passwordHash } = await findPassword(ctx.db, ctx.store.id, ctx.shopper.customerId)
  if (email === null) throw fail('BAD_REQUEST', 'Add an email first: a password signs in only beside an email.')
  const hashNew = ({ hash }: Hashing) => hash(newPassword)
  const after =
    passwordHash === null
      ? await ctx.passwords.inTurn(askerOf(ctx), hashNew)
      : await provePassword(ctx, passwordHash, currentPassword, hashNew)
  await save(ctx, { before: passwordHash, after })
}

const save = async (ctx: CustomerCtx, hashes: { before: string | null; after: string }) => {
  try {
    await ctx.db.tx(async (tx) => {
      const { customerId } = ctx.shopper
      if ((await changePasswordHash(tx, ctx.store.id, customerId, hashes)) === undefined) throw wrongPassword()
      await endOtherSessions(tx, ctx)
    })
  } catch (error) {
    // The email was contact data until now, and signs in another customer.
    if (isUniqueViolation(error)) throw fail('CONFLICT', 'This email has an account already.')
    throw error
  }
}

/**
 * Asks a signed-in customer for the password again and runs `more` in the same hashing turn. The caller must check in its
 * transaction that the hash has not changed. Wrong passwords count for the customer, as failed sign-ins do for an email.
 * 403 and not 401, because clients drop the session on 401.
 */
export const provePassword = <Result>(
  ctx: CustomerCtx,
  passwordHash: string,
  password: string | undefined,
  more: (hashing: Hashing) => Promise<Result>,
): Promise<Result> => {
  if (password === undefined) throw fail('FORBIDDEN', 'This needs the password of the account: send currentPassword.')
  return tryPassword(ctx, signedIn(ctx.shopper.customerId), async (hashing) => {
    if (!(await hashing.check(password, passwordHash))) throw wrongPassword()
    return more(hashing)
  })
}

export const wrongPassword = () => fail('FORBIDDEN', 'The current password is wrong.')
