import type { Queries } from '../../db/database.ts'
import type { StoreId } from '../context.ts'

export type ChangedThreshold = { storeId: StoreId; threshold: number; waiting: number; oldestAt: Date }

/** Stores whose stock rows do not have the threshold of the store yet. */
export const findChangedThresholds = (db: Queries) => db.many<ChangedThreshold>`
  select id as "storeId", low_stock_threshold as threshold, 1 as waiting, vitrine_now() as "oldestAt"
  from store where low_stock_applied <> low_stock_threshold limit 100`

/** Does nothing if the threshold has changed again meanwhile. */
export const noteThresholdApplied = (db: Queries, storeId: StoreId, threshold: number) => db.run`
  update store set low_stock_applied = ${threshold} where id = ${storeId} and low_stock_threshold = ${threshold}`
