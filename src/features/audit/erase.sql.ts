import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import type { AuditRow } from './audit.sql.ts'

export type AuditToErase = Pick<AuditRow, 'id' | 'changes'>

export const listAuditToErase = (tx: Tx, storeId: StoreId, resource: string, ids: readonly string[]) =>
  tx.many<AuditToErase>`
  select a.id, a.changes from audit a
  where a.store_id = ${storeId} and a.resource = ${resource} and a.resource_id = any(${ids}::text[])
    and a.changes::text <> '{}'`

/** Only for erasure: the entry stays, with its author and time. */
export const replaceAuditChanges = (tx: Tx, storeId: StoreId, entries: readonly { id: string; changes: unknown }[]) =>
  tx.run`
  update audit a set changes = n.changes
  from json_to_recordset(${JSON.stringify(entries)}::json) as n (id text, changes json)
  where a.store_id = ${storeId} and a.id = n.id`
