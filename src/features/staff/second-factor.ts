import { fail } from '../../core/errors.ts'
import { randomText } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret } from '../../core/secrets.ts'
import { matchTotp, newTotpSecret, totpUri } from '../../core/totp.ts'
import type { Tx } from '../../db/database.ts'
import { recordChange } from '../audit/record.ts'
import type { AdminPublicCtx, StaffCtx } from '../context.ts'
import { tryStaffCode, tryStaffPassword } from './attempts.ts'
import { deleteStaffSessions } from './sessions.sql.ts'
import {
  confirmSecondFactor,
  consumeRecoveryCode,
  findStaff,
  listStoresOf,
  lockStaff,
  replaceRecoveryCodes,
  type StaffRow,
  updateSecondFactor,
  useCodeStep,
} from './staff.sql.ts'

const recoveryCodes = 10

/** Throws unless the person has no second factor, or the code is right. `onWrong` notes a wrong one. */
export const requireCode = async (
  ctx: AdminPublicCtx,
  row: StaffRow,
  code: string | undefined,
  onWrong: () => Promise<void> = async () => {},
) => {
  if (row.secondFactorAt === null) return
  if (code === undefined) throw fail('SECOND_FACTOR_REQUIRED')
  if (await tryStaffCode(ctx, row.id, () => checkCode(ctx, row, code))) return
  await onWrong()
  throw fail('UNAUTHORIZED', 'The code of the second factor is wrong.')
}

/** A code of the authenticator app, or one of the recovery codes. Each works once. */
const checkCode = async (ctx: AdminPublicCtx, { id, secondFactor }: StaffRow, code: string): Promise<boolean> => {
  const typed = code.replaceAll(/[\s-]/g, '').toLowerCase()
  if (!/^\d{6}$/.test(typed)) return (await consumeRecoveryCode(ctx.db, id, hashSecret(typed))) > 0
  const step = matchTotp(openSecret(ctx, id, secondFactor), typed, ctx.clock.now())
  return step !== undefined && (await useCodeStep(ctx.db, id, step)) > 0
}

const openSecret = (ctx: AdminPublicCtx, staffId: string, sealed: string | null) =>
  mustExist(ctx.staffSeal.open(sealed ?? '', staffId) ?? undefined, `the second factor of ${staffId}`)

/** Makes a secret for an authenticator app. It counts when a code of it was confirmed. */
export const startSecondFactor = async (ctx: StaffCtx, { password }: { password: string }) => {
  await checkOwnPassword(ctx, password)
  const secret = newTotpSecret()
  await ctx.db.tx(async (tx) => {
    const row = await lockStaff(tx, ctx.staff.id)
    if (row?.secondFactorAt) throw fail('CONFLICT', 'There is a second factor already. Remove it first.')
    await updateSecondFactor(tx, ctx.staff.id, ctx.staffSeal.seal(secret, ctx.staff.id))
  })
  return { secret, uri: totpUri(secret, ctx.staff.email, 'Vitrine') }
}

/** Returns recovery codes, which are shown only here. */
export const finishSecondFactor = (ctx: StaffCtx, { code }: { code: string }) =>
  ctx.db.tx(async (tx) => {
    const row = await lockStaff(tx, ctx.staff.id)
    if (!row?.secondFactor || row.secondFactorAt !== null) {
      throw fail('CONFLICT', 'There is no second factor to confirm. Start with a new secret.')
    }
    const step = matchTotp(openSecret(ctx, row.id, row.secondFactor), code, ctx.clock.now())
    if (step === undefined) throw fail('BAD_REQUEST', 'The code is wrong. Check the clock of the device.')
    await confirmSecondFactor(tx, row.id, step)
    // They were opened without a code, and perhaps by the person against whom it is meant.
    await deleteStaffSessions(tx, row.id, ctx.sessionHash)
    const codes = Array.from({ length: recoveryCodes }, () => randomText(10))
    await replaceRecoveryCodes(tx, row.id, codes.map(hashSecret))
    await recordForAllStores(tx, ctx, 'staff.second_factor_added')
    return { recoveryCodes: codes.map((text) => `${text.slice(0, 5)}-${text.slice(5)}`) }
  })

export const removeSecondFactor = async (ctx: StaffCtx, { password }: { password: string }) => {
  await checkOwnPassword(ctx, password)
  await ctx.db.tx(async (tx) => {
    await lockStaff(tx, ctx.staff.id)
    await updateSecondFactor(tx, ctx.staff.id, null)
    await replaceRecoveryCodes(tx, ctx.staff.id, [])
    await recordForAllStores(tx, ctx, 'staff.second_factor_removed')
  })
}

/** Changes of credentials need the password again, because another person may use an unattended browser. */
export const checkOwnPassword = async (ctx: StaffCtx, password: string) => {
  const row = await findStaff(ctx.db, ctx.staff.id)
  await tryStaffPassword(ctx, `password ${ctx.staff.id}`, async ({ check }) => {
    if (!(await check(password, row?.passwordHash ?? undefined))) {
      throw fail('BAD_REQUEST', 'The current password is wrong.')
    }
  })
}

/** A person's own changes concern every store that the person works for. */
export const recordForAllStores = async (tx: Tx, ctx: StaffCtx, action: `staff.${string}` | 'session.ended') => {
  for (const { storeNumber } of await listStoresOf(tx, ctx.staff.id)) {
    recordChange(tx, { id: storeNumber }, ctx.by, { action, id: ctx.staff.id })
  }
}
