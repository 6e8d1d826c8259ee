import { keptForMs } from '../features/access/once.ts'
import { batch, type Sweep } from './batch.sql.ts'

export const sweepKeptAnswers: Sweep = (db) => db.run`
  delete from kept_answer where ctid = any(array(
    select ctid from kept_answer where created_at <= vitrine_now() - ${keptForMs} * interval '1 millisecond'
    order by created_at limit ${batch} for update skip locked))`
