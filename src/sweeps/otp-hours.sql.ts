import { batch, type Sweep } from './batch.sql.ts'

/** Only stores with a cap have rows here, at most fifty each, so they need no index by age. */
export const sweepOtpHours: Sweep = (db) => db.run`
  delete from otp_hour where ctid = any(array(
    select ctid from otp_hour where hour < vitrine_now() - interval '2 days'
    limit ${batch} for update skip locked))`
