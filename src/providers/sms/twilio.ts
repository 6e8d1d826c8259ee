import type { SmsSender } from './sender.ts'
import { errorForStatus, postToVendor, quoteVendor, readFields } from './vendor.ts'

export type TwilioSettings = { accountSid: string; authToken: string; from: string }

/** Twilio's Messages API. A 201 means that the message is queued, even if the body cannot be read. */
export const createTwilioSender = (
  { accountSid, authToken, from }: TwilioSettings,
  { baseUrl = 'https://api.twilio.com', timeoutMs }: { baseUrl?: string; timeoutMs?: number } = {},
): SmsSender => {
  const url = new URL(`/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, baseUrl)
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const origin = /^MG[0-9a-f]{32}$/i.test(from) ? { MessagingServiceSid: from } : { From: from }
  return {
    name: 'twilio',
    send: async (message) => {
      const { status, body } = await postToVendor(url, {
        vendor: 'Twilio',
        headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: message.phone, ...origin, Body: message.text }).toString(),
        timeoutMs,
      })
      if (status === 201) return
      const fields = readFields(body)
      const detail = fields === undefined ? undefined : quoteVendor(fields, message, [authToken, credentials])
      throw errorForStatus('Twilio', status, detail)
    },
  }
}
