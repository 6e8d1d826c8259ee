import { sql } from '../db/sql.ts'
import { batch, type Sweep } from './batch.sql.ts'

/** Longer than anybody sends an event again or argues about one. What it has done is in the timeline of its order. */
const life = sql`interval '180 days'`

/** Events that have had their effect. One that could not be applied waits for somebody to mend what was in its way. */
export const sweepPaymentEvents: Sweep = (db) => db.run`
  delete from payment_event where ctid = any(array(
    select ctid from payment_event
    where received_at <= vitrine_now() - ${life} and outcome in ('applied', 'no_effect', 'duplicate_payment')
    order by received_at limit ${batch} for update skip locked))`

/** The same of carriers. */
export const sweepDeliveryEvents: Sweep = (db) => db.run`
  delete from delivery_event where ctid = any(array(
    select ctid from delivery_event
    where received_at <= vitrine_now() - ${life} and outcome in ('applied', 'stale', 'after_delivery')
    order by received_at limit ${batch} for update skip locked))`
