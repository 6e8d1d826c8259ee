import type { Queries } from '../../db/database.ts'
import { literalLimit } from '../../db/plan-hints.ts'

const batch = literalLimit(500)

/** How many sessions, links and failed sign-ins have expired, at most a batch of each. */
export const countExpired = (db: Queries) => db.one<{ waiting: number; oldestAt: Date | null }>`
  select count(*) as waiting, min(at) as "oldestAt" from (
    (select expires_at as at from staff_session where expires_at <= vitrine_now() order by expires_at limit ${batch})
    union all
    (select expires_at from staff_link where expires_at <= vitrine_now() order by expires_at limit ${batch})
    union all
    (select forget_at from staff_sign_in_failure where forget_at <= vitrine_now() order by forget_at limit ${batch})) expired`

export const deleteExpiredStaffSessions = (db: Queries) => db.run`
  delete from staff_session where ctid = any(array(
    select ctid from staff_session where expires_at <= vitrine_now() order by expires_at limit ${batch}
    for update skip locked))`

export const deleteExpiredLinks = (db: Queries) => db.run`
  delete from staff_link where ctid = any(array(
    select ctid from staff_link where expires_at <= vitrine_now() order by expires_at limit ${batch}
    for update skip locked))`

export const deleteOldStaffFailures = (db: Queries) => db.run`
  delete from staff_sign_in_failure where ctid = any(array(
    select ctid from staff_sign_in_failure where forget_at <= vitrine_now() order by forget_at limit ${batch}
    for update skip locked))`
