import { compareFields, recordChange } from '../audit/record.ts'
import type { StaffCtx } from '../context.ts'
import { readOwnSession } from './sessions.ts'
import { listStoresOf, updateStaffName } from './staff.sql.ts'

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
