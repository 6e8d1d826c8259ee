import { batch, type Sweep } from './batch.sql.ts'

export const sweepOneTimeCodes: Sweep = (db) => db.run`
  delete from one_time_code where ctid = any(array(
    select ctid from one_time_code where forget_at <= vitrine_now()
    order by forget_at limit ${batch} for update skip locked))`
