import { days } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { randomText } from '../core/ids.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Services } from '../features/context.ts'
import { receiveCarrierEvent } from '../features/delivery/carrier.ts'
import { readOrder } from '../features/orders/orders.sql.ts'
import type { SmsMessage, SmsSender } from '../providers/sms/sender.ts'

/** A sender that also remembers what it sent last to each phone, for the page that has no phone. */
export const rememberCodes = (sender: SmsSender) => {
  const codes = new Map<string, string>()
  const remember = ({ phone, code, storeId }: SmsMessage) => {
    const name = nameOf(storeId, phone)
    codes.delete(name)
    codes.set(name, code)
    const [oldest] = codes.keys()
    if (codes.size > mostCodes && oldest !== undefined) codes.delete(oldest)
  }
  return {
    sender: {
      name: sender.name,
      send: async (message: SmsMessage) => {
        await sender.send(message)
        remember(message)
      },
    } satisfies SmsSender,
    codeFor: (storeId: string, phone: string) => codes.get(nameOf(storeId, phone)),
  }
}

const mostCodes = 1_000
const nameOf = (storeId: string, phone: string) => `${phone} ${storeId}`

/** Plays the carrier: a paid order goes out, and one that is out arrives. */
export const moveParcel = async ({ db, clock }: Pick<Services, 'db' | 'clock'>, storeId: string, orderId: string) => {
  const store = await findStoreByPublicId(db, storeId)
  const order = store && (await readOrder(db, store.id, orderId))
  if (store === undefined || order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  const status = nextNews[order.status]
  if (status === undefined) throw fail('CONFLICT', `An order that is ${order.status} has no parcel on its way.`)
  const nowMs = clock.now()
  await receiveCarrierEvent({ db, clock }, store, {
    eventId: `demo_${randomText(16)}`,
    orderId,
    status,
    partner: 'Demo carrier',
    ...(status === 'delivered'
      ? { deliveredAt: new Date(nowMs).toISOString() }
      : { estimatedDelivery: new Date(nowMs + days(2)).toISOString() }),
  })
}

const nextNews: Record<string, 'in_transit' | 'delivered'> = {
  // Cash is paid at the door, so such an order leaves while it is pending.
  pending: 'in_transit',
  paid: 'in_transit',
  out_for_delivery: 'delivered',
}
