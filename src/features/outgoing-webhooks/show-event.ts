import { showCustomerEvent } from '../accounts/customer-events.ts'
import { showProductEvent } from '../catalog/product-events.ts'
import type { ShowEvent, StoreCtx } from '../context.ts'
import { showOrderEvent } from '../orders/order-events.ts'

type Show = (ctx: Pick<StoreCtx, 'store' | 'publicUrl'>, data: never) => unknown

/** By the first part of the type. Stock and test events are kept as they are sent. */
const shows: Readonly<Record<string, Show>> = {
  order: showOrderEvent,
  product: showProductEvent,
  customer: (_ctx, data) => showCustomerEvent(data),
}

/** What the API shows of the rows that an event has kept. */
export const createShowEvent =
  (publicUrl: string): ShowEvent =>
  (store, { type, data }) => {
    const show = shows[type.split('.')[0] ?? '']
    // Its type follows from the type of the event: both were written by one statement.
    return show === undefined ? data : show({ store, publicUrl }, data as never)
  }
