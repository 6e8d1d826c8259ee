import { days } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { randomText } from '../core/ids.ts'
import { findStoreByPublicId } from '../features/access/directory.ts'
import type { Services } from '../features/context.ts'
import { receiveCarrierEvent } from '../features/delivery/carrier.ts'
import { readOrder } from '../features/orders/orders.sql.ts'
import type { SmsMessage, SmsSender } from '../providers/sms/sender.ts'

/** A sender that also stores the last code of each phone, so that the demo shop can show it. */
export const rememberCodes = (sender: SmsSender) => {
  const codes = new Map<string, string>()
  const remember = ({ phone, code, storeId }: Pick<SmsMessage, 'phone' | 'code' | 'storeId'>) => {
    const key = codeKey(storeId, phone)
    codes.delete(key)
    codes.set(key, code)
    const [oldest] = codes.keys()
    if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest)
  }
  return {
    sender: {
      name: sender.name,
      send: async (message: SmsMessage) => {
        await sender.send(message)
        remember(message)
      },
    } satisfies SmsSender,
    remember,
    codeFor: (storeId: string, phone: string) => codes.get(codeKey(storeId, phone)),
  }
}

const maxCodes = 1_000
const codeKey = (storeId: string, phone: string) => `${phone} ${storeId}`

/** Simulates the carrier: a paid order goes out for delivery, and one that is out for delivery is delivered. */
export const moveParcel = async ({ db, clock }: Pick<Services, 'db' | 'clock'>, storeId: string, orderId: string) => {
  const store = await findStoreByPublicId(db, storeId)
  const order = store && (await readOrder(db, store.id, orderId))
  if (store === undefined || order === undefined) throw fail('NOT_FOUND', 'There is no such order.')
  const status = nextCarrierStatus[order.status]
  if (status === undefined) throw fail('CONFLICT', `The carrier has no next step for an order that is ${order.status}.`)
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

const nextCarrierStatus: Record<string, 'in_transit' | 'delivered'> = {
  // A cash order ships while its payment is pending.
  pending: 'in_transit',
  paid: 'in_transit',
  out_for_delivery: 'delivered',
}
