import { fail } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AdminPublicCtx } from '../context.ts'
import { countSignIn, tryStaffPassword } from './attempts.ts'
import { requireCode } from './second-factor.ts'
import { openStaffSession } from './sessions.ts'
import { insertFailedSignIn, listStoresOfEmail } from './sign-in.sql.ts'
import { findStaffByEmail, lockStaff, updateStaffPassword } from './staff.sql.ts'

export const normaliseStaffEmail = (text: string) => text.normalize('NFC').trim().toLowerCase()

const wrong = () => fail('UNAUTHORIZED', 'The email or the password is wrong.')

/** No store has this number. */
const noStore = 0

/**
 * Notes a failed sign-in in each store that the person works for. For an unknown email it sends the same statements as
 * for a person of one store, so that it takes as long.
 */
const auditFailedSignIn = async (ctx: AdminPublicCtx, email: string, reason: string) => {
  const stores = (await listStoresOfEmail(ctx.db, email)).map(({ storeId }) => storeId)
  for (const storeId of stores.length === 0 ? [noStore] : stores) {
    await insertFailedSignIn(ctx.db, storeId, { email, auditId: newId('aud', ctx.clock.now()), reason }, ctx)
  }
}

export type StaffSignIn = { email: string; password: string; code?: string }

export const signInStaff = async (ctx: AdminPublicCtx, { email: typed, password, code }: StaffSignIn) => {
  const email = normaliseStaffEmail(typed)
  const uncount = await countSignIn(ctx)
  const found = await findStaffByEmail(ctx.db, email)
  const refuse = (reason: string) => auditFailedSignIn(ctx, email, reason)
  const { row, newHash } = await tryStaffPassword(ctx, email, async ({ check, hash, isOutdated }) => {
    // Checked even without an account, so that the response time does not reveal whether there is one.
    const isRight = await check(password, found?.passwordHash ?? undefined)
    if (found?.passwordHash && isRight) {
      return { row: found, newHash: isOutdated(found.passwordHash) ? await hash(password) : undefined }
    }
    await refuse('password')
    throw wrong()
  })
  await requireCode(ctx, row, code, () => refuse('code'))
  await uncount()
  return ctx.db.tx(async (tx) => {
    const current = await lockStaff(tx, row.id)
    // A concurrent change of the password ends all sessions. Without the lock this one would survive it.
    if (current?.passwordHash !== row.passwordHash) throw wrong()
    if (newHash !== undefined) await updateStaffPassword(tx, row.id, newHash)
    return openStaffSession(tx, ctx, current)
  })
}
