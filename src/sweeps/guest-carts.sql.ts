import { batch, type Sweep } from './batch.sql.ts'

/** Their lines go with them. */
export const sweepGuestCarts: Sweep = (db) => db.run`
  delete from cart where ctid = any(array(
    select ctid from cart where sweep_on < vitrine_now()::date
    order by sweep_on limit ${batch} for update skip locked))`
