import { createHmac } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { SmsSender } from './sender.ts'
import { askVendor, refusalOrDoubt } from './vendor.ts'

export type HttpSettings = { url: string; secret: string }

/**
 * A service of the operator's own. The signature covers time and body, so that the receiver can tell our calls from
 * others' and refuse old ones; docs/production.md shows how. What the receiver answers besides its status is not read
 * into anything, since we cannot know what it repeats.
 */
export const createHttpSender = (
  { url, secret }: HttpSettings,
  { clock, timeoutMs }: { clock: Pick<Clock, 'now'>; timeoutMs?: number },
): SmsSender => ({
  name: 'http',
  send: async ({ phone, code, text, storeName }) => {
    const body = JSON.stringify({ phone, code, text, store: storeName })
    const timestamp = String(Math.floor(clock.now() / 1000))
    const { status } = await askVendor(url, {
      vendor: 'VITRINE_SMS_URL',
      headers: {
        'content-type': 'application/json',
        'x-vitrine-timestamp': timestamp,
        'x-vitrine-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
      },
      body,
      timeoutMs,
    })
    if (status < 200 || status > 299) throw refusalOrDoubt('VITRINE_SMS_URL', status)
  },
})
