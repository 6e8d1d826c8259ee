import { refuse } from '../../core/domain-errors.ts'
import { announceStore } from '../../db/announce.ts'
import { isForeignKeyViolation, type Queries, type Tx } from '../../db/database.ts'
import { requireMatch } from '../admin-etag.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import { removeOutletFromCatalog } from '../catalog/outlet-rows.ts'
import type { AdminCtx, Author, Store } from '../context.ts'
import * as sql from './outlets.sql.ts'
import { lockStore, setDefaultOutlet } from './stores.sql.ts'
import { checkName, createOutlet } from './stores.ts'

type OutletCtx = Pick<AdminCtx, 'store' | 'by' | 'ifMatch'>

export const readOutlet = async (db: Queries, { store }: Pick<OutletCtx, 'store'>, outletId: string) => {
  const outlet = await sql.findOutletRow(db, store.id, outletId)
  if (outlet === undefined) throw refuse('OUTLET_NOT_FOUND', { outletId })
  return outlet
}

export const showOutlet = ({ id, name, isDefault, createdAt }: sql.OutletRow) => ({
  ...{ id, name, isDefault },
  createdAt: createdAt.toISOString(),
})

export const createOutletBy = async (tx: Tx, store: Store, by: Author, name: string) => {
  const { outletId } = await createOutlet(tx, store, name)
  recordChange(tx, store, by, { action: 'outlet.created', id: outletId, changes: compareFields({}, { name }) })
  return { outletId }
}

/** The store is locked first: it has the default outlet. */
const lockOutlet = async (tx: Tx, ctx: OutletCtx, outletId: string) => {
  await lockStore(tx, ctx.store.id)
  const outlet = await readOutlet(tx, ctx, outletId)
  requireMatch(ctx, showOutlet(outlet))
  return outlet
}

export const changeOutlet = async (
  tx: Tx,
  ctx: OutletCtx,
  outletId: string,
  { name, isDefault }: { name?: string; isDefault?: true },
) => {
  const { store, by } = ctx
  const before = await lockOutlet(tx, ctx, outletId)
  if (name !== undefined) {
    checkName(name)
    await sql.renameOutlet(tx, store.id, before.number, name)
  }
  if (isDefault) await setDefaultOutlet(tx, store.id, before.number)
  await announceStore(tx, store.id)
  const after = await readOutlet(tx, ctx, outletId)
  const changes = compareFields(showOutlet(before), showOutlet(after))
  if (Object.keys(changes).length > 0) recordChange(tx, store, by, { action: 'outlet.updated', id: outletId, changes })
  return after
}

/** Carts and orders keep an outlet by their foreign keys. */
export const deleteOutlet = async (tx: Tx, ctx: OutletCtx, outletId: string): Promise<void> => {
  const { store, by } = ctx
  const outlet = await lockOutlet(tx, ctx, outletId)
  if (outlet.isDefault) throw refuse('OUTLET_IS_DEFAULT', { outletId })
  try {
    if (!(await removeOutletFromCatalog(tx, store.id, outlet.number))) throw refuse('OUTLET_IN_USE', { outletId })
    await sql.deleteOutletRow(tx, store.id, outlet.number)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw refuse('OUTLET_IN_USE', { outletId }, { cause: error })
    throw error
  }
  await announceStore(tx, store.id)
  const changes = compareFields({ name: outlet.name }, {})
  recordChange(tx, store, by, { action: 'outlet.deleted', id: outletId, changes })
}
