import { newId } from '../../core/ids.ts'
import type { Tx } from '../../db/database.ts'
import type { Author, StoreId } from '../context.ts'
import { type AuditRow, insertAudit } from './audit.sql.ts'

export type AuditedFields = AuditRow['changes']

export type AuditedChange = {
  /** The thing and what happened to it, such as `product.updated`. */
  action: `${string}.${string}`
  /** The id of the thing. */
  id: string
  changes?: AuditedFields
}

/** An operator at the command line, whose name is not known. */
export const commandLine: Author = {
  actor: { kind: 'command', id: 'command', name: 'Command line' },
  clientAddress: '',
  requestId: '',
}

/** Adds a change to the audit log, in the transaction that makes it: one is never there without the other. */
export const recordChange = (
  tx: Tx,
  store: { id: StoreId },
  by: Author,
  { action, id, changes = {} }: AuditedChange,
): void =>
  tx.withCommit(() =>
    insertAudit(tx, store.id, by, {
      ...{ id: newId('aud'), action, resource: action.slice(0, action.indexOf('.')), resourceId: id, changes },
    }),
  )

/** The fields that differ. Leave secrets out of both: they must not reach the audit log. */
export const compareFields = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): AuditedFields =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, { before: before[name] ?? null, after: after[name] ?? null }]),
  )
