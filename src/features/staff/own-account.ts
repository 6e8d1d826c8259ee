import { fail } from '../../core/errors.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { StaffCtx } from '../context.ts'
import { recordForAllStores } from './second-factor.ts'
import { deleteStaffSessionById, deleteStaffSessions, findStaffSession } from './sessions.sql.ts'
import { readOwnSession } from './sessions.ts'
import { listStoresOf, lockStaff, updateStaffName } from './staff.sql.ts'

/** The new name is in the audit log of every store that the person works for. */
export const renameSelf = async (ctx: StaffCtx, typed: string) => {
  const name = typed.trim()
  const { id } = ctx.staff
  const changes = compareFields({ name: ctx.staff.name }, { name })
  await ctx.db.tx(async (tx) => {
    await updateStaffName(tx, id, name)
    if (changes.name === undefined) return
    for (const { storeNumber } of await listStoresOf(tx, id)) {
      recordChange(tx, { id: storeNumber }, ctx.by, { action: 'staff.updated', id, changes })
    }
  })
  return readOwnSession({ ...ctx, staff: { ...ctx.staff, name } })
}

export const endOwnSession = (ctx: StaffCtx, id: string) =>
  ctx.db.tx(async (tx) => {
    const ended = await deleteStaffSessionById(tx, ctx.staff.id, id)
    if (ended === 0) throw fail('NOT_FOUND', `There is no session ${id}.`)
    await recordForAllStores(tx, ctx, 'session.ended')
  })

/** Two devices that end each other's session at the same time: the first one stays, and the other has to sign in. */
export const endSessionsElsewhere = (ctx: StaffCtx) =>
  ctx.db.tx(async (tx) => {
    await lockStaff(tx, ctx.staff.id)
    const own = await findStaffSession(tx, ctx.sessionHash, null)
    if (own === undefined) throw fail('UNAUTHORIZED', 'This session was ended elsewhere. Sign in again.')
    const ended = await deleteStaffSessions(tx, ctx.staff.id, ctx.sessionHash)
    if (ended > 0) await recordForAllStores(tx, ctx, 'session.ended')
    return { ended }
  })
