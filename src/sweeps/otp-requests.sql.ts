import { batch, type Sweep } from './batch.sql.ts'

export const sweepOtpRequests: Sweep = (db) => db.run`
  delete from otp_request where ctid = any(array(
    select ctid from otp_request where forget_at <= vitrine_now()
    order by forget_at limit ${batch} for update skip locked))`
