import type { Queries, Tx } from '../../db/database.ts'
import { type Fragment, sql } from '../../db/sql.ts'
import type { Author, StoreId } from '../context.ts'

export type AuditRow = {
  id: string
  at: Date
  actorKind: Author['actor']['kind']
  actorId: string
  actorName: string
  clientAddress: string
  requestId: string
  action: string
  resource: string
  resourceId: string
  changes: Readonly<Record<string, { before: unknown; after: unknown }>>
}

export type NewAudit = Pick<AuditRow, 'id' | 'action' | 'resource' | 'resourceId' | 'changes'>

export const insertAudit = (
  tx: Tx,
  storeId: StoreId,
  { actor, clientAddress, requestId }: Author,
  entry: NewAudit,
) => tx.run`
  insert into audit (store_id, id, at, actor_kind, actor_id, actor_name, client_address, request_id, action, resource,
    resource_id, changes)
  values (${storeId}, ${entry.id}, date_trunc('milliseconds', vitrine_now()), ${actor.kind}, ${actor.id}, ${actor.name}, ${clientAddress},
    ${requestId}, ${entry.action}, ${entry.resource}, ${entry.resourceId}, ${JSON.stringify(entry.changes)}::json)`

export type AuditFilter = {
  actor: string | null
  resource: string | null
  resourceId: string | null
  action: string | null
  from: Date | null
  to: Date | null
}

/** Parts that are not asked for are left out, so that each combination has a plan of its own. */
const matching = (storeId: StoreId, filter: AuditFilter): Fragment => sql`a.store_id = ${storeId}
  ${filter.actor === null ? sql`` : sql`and a.actor_id = ${filter.actor}`}
  ${filter.resource === null ? sql`` : sql`and a.resource = ${filter.resource}`}
  ${filter.resourceId === null ? sql`` : sql`and a.resource_id = ${filter.resourceId}`}
  ${filter.action === null ? sql`` : sql`and a.action = ${filter.action}`}
  ${filter.from === null ? sql`` : sql`and a.at >= ${filter.from}`}
  ${filter.to === null ? sql`` : sql`and a.at < ${filter.to}`}`

/** Newest first. */
export const listAudit = (
  db: Queries,
  storeId: StoreId,
  filter: AuditFilter,
  { before, limit }: { before: Pick<AuditRow, 'at' | 'id'> | null; limit: number },
) => db.many<AuditRow>`
  select a.id, a.at, a.actor_kind as "actorKind", a.actor_id as "actorId", a.actor_name as "actorName",
    a.client_address as "clientAddress", a.request_id as "requestId", a.action, a.resource,
    a.resource_id as "resourceId", a.changes
  from audit a
  where ${matching(storeId, filter)}
    ${before === null ? sql`` : sql`and (a.at, a.id) < (${before.at}, ${before.id})`}
  order by a.at desc, a.id desc limit ${limit}`

export const countAudit = async (db: Queries, storeId: StoreId, filter: AuditFilter, limit: number) =>
  (
    await db.one<{ found: number }>`
    select count(*) as found from (select from audit a where ${matching(storeId, filter)} limit ${limit}) found`
  ).found
