import { readPeriod } from '../../core/period.ts'
import { answerList } from '../admin-list.ts'
import { adminRoutes } from '../context.ts'
import { auditContract } from './audit.contract.ts'
import { type AuditRow, countAudit, listAudit } from './audit.sql.ts'

export const auditRoutes = adminRoutes(auditContract, {
  adminListAudit: ({ ctx, query }) => {
    const { db, store } = ctx
    const { actor = null, resource = null, resourceId = null, action = null } = query
    const filter = { actor, resource, resourceId, action, ...readPeriod(query, store.timezone) }
    return answerList(ctx, 'audit', query, {
      read: (position, limit) => {
        const [at, id] = position ?? []
        const before = at === undefined ? null : { at: new Date(String(at)), id: String(id) }
        return listAudit(db, store.id, filter, { before, limit })
      },
      count: (limit) => countAudit(db, store.id, filter, limit),
      positionOf: ({ at, id }) => [at.toISOString(), id],
      show: (row: AuditRow) => ({ ...row, at: row.at.toISOString() }),
      columns: [
        ...(['id', 'at', 'actorKind', 'actorId', 'actorName', 'clientAddress', 'requestId', 'action'] as const),
        ...(['resource', 'resourceId', 'changes'] as const),
      ],
    })
  },
})
