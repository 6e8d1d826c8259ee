import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import * as sql from './redeem.sql.ts'

/** Takes one use of a coupon. False when it was stopped, or its limit or that of this customer is reached. */
export const redeemCoupon = async (tx: Tx, storeId: StoreId, couponId: string, customerId: string): Promise<boolean> =>
  (await sql.takeUse(tx, storeId, couponId, customerId)).taken

/** An order that ended unpaid gives its use back. */
export const releaseCoupon = (tx: Tx, storeId: StoreId, couponId: string, customerId: string) =>
  sql.giveUseBack(tx, storeId, couponId, customerId)
