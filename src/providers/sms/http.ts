import { createHmac } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { SmsSender } from './sender.ts'
import { errorForStatus, postToVendor } from './vendor.ts'

export type HttpSettings = { url: string; secret: string }

/**
 * Sends through a service of the operator. The signature covers time and body, so that the receiver can authenticate
 * requests and refuse old ones; docs/production.md shows how. The body of the response is ignored: it might repeat
 * secrets, which must not reach the log.
 */
export const createHttpSender = (
  { url, secret }: HttpSettings,
  { clock, timeoutMs }: { clock: Pick<Clock, 'now'>; timeoutMs?: number },
): SmsSender => ({
  name: 'http',
  send: async ({ phone, code, text, storeName }) => {
    const body = JSON.stringify({ phone, code, text, store: storeName })
    const timestamp = String(Math.floor(clock.now() / 1000))
    const { status } = await postToVendor(url, {
      vendor: 'VITRINE_SMS_URL',
      headers: {
        'content-type': 'application/json',
        'x-vitrine-timestamp': timestamp,
        'x-vitrine-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
      },
      body,
      timeoutMs,
    })
    if (status < 200 || status > 299) throw errorForStatus('VITRINE_SMS_URL', status)
  },
})
