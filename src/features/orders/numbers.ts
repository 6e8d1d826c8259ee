import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import type { AnswerKey } from '../access/idempotency.sql.ts'
import type { StoreId } from '../context.ts'
import { takeOrderNumber } from './numbers.sql.ts'

/** Not in the transaction of the order, which would keep the counter locked until it is on the disk. */
export const nextOrderNumber = async (db: Queries, storeId: StoreId): Promise<number> =>
  mustExist(await takeOrderNumber(db, storeId, null), 'the next order number').number

/** Null for a call with a key that was answered before. */
export const nextNumberUnlessAnswered = async (
  db: Queries,
  storeId: StoreId,
  key: AnswerKey | null,
): Promise<number | null> => (await takeOrderNumber(db, storeId, key))?.number ?? null
