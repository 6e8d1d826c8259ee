import { batch, type Sweep } from './batch.sql.ts'

export const sweepSignInFailures: Sweep = (db) => db.run`
  delete from sign_in_failure where ctid = any(array(
    select ctid from sign_in_failure where forget_at <= vitrine_now()
    order by forget_at limit ${batch} for update skip locked))`
