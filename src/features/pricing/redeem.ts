import type { Tx } from '../../db/database.ts'
import type { StoreId } from '../context.ts'
import * as sql from './redeem.sql.ts'

/** Takes one use of a coupon. False if it was stopped, or if its usage limit or customer limit is reached. */
export const redeemCoupon = async (tx: Tx, storeId: StoreId, couponId: string, customerId: string): Promise<boolean> =>
  (await sql.redeemUse(tx, storeId, couponId, customerId)).taken

/** Returns the use of an order that ended unpaid. */
export const releaseCoupon = (tx: Tx, storeId: StoreId, couponId: string, customerId: string) =>
  sql.releaseUse(tx, storeId, couponId, customerId)
