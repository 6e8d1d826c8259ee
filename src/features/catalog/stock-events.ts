import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import { recordEvents } from '../events/record.ts'
import { type StockTurn, stockSnapshot, stockSubject } from './stock-events.sql.ts'

/** Records that variants have become low or sold out. */
export const recordStockEvents = (tx: Tx, storeId: StoreId, turns: readonly StockTurn[]) =>
  recordEvents(
    tx,
    { id: storeId },
    turns.map((turn) => ({ type: turn.type, subject: stockSubject(turn), sequence: turn.sequence })),
    stockSnapshot(storeId, turns),
  )
