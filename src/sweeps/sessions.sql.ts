import { batch, type Sweep } from './batch.sql.ts'

export const sweepSessions: Sweep = (db) => db.run`
  delete from session where ctid = any(array(
    select ctid from session where expires_at <= vitrine_now()
    order by expires_at limit ${batch} for update skip locked))`
