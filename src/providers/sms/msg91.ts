import { SmsRefused, type SmsSender, SmsUncertain } from './sender.ts'
import { errorForStatus, postToVendor, quoteVendor, readFields } from './vendor.ts'

export type Msg91Settings = { authKey: string; templateId: string }

/**
 * MSG91's flow API, whose template holds the text with a variable `otp`. It also reports errors with status 200, so the
 * `type` in the body decides, and with an unreadable body the outcome is uncertain.
 */
export const createMsg91Sender = (
  { authKey, templateId }: Msg91Settings,
  { baseUrl = 'https://control.msg91.com', timeoutMs }: { baseUrl?: string; timeoutMs?: number } = {},
): SmsSender => {
  const url = new URL('/api/v5/flow', baseUrl)
  return {
    name: 'msg91',
    send: async (message) => {
      const { status, body } = await postToVendor(url, {
        vendor: 'MSG91',
        headers: { authkey: authKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          template_id: templateId,
          recipients: [{ mobiles: message.phone.replace('+', ''), otp: message.code }],
        }),
        timeoutMs,
      })
      const fields = readFields(body)
      const detail = fields === undefined ? undefined : quoteVendor(fields, message, [authKey])
      if (status < 200 || status > 299) throw errorForStatus('MSG91', status, detail)
      if (fields?.type === 'success') return
      if (fields?.type === 'error') throw new SmsRefused('MSG91 refused the message.', { cause: new Error(detail) })
      throw new SmsUncertain('MSG91 answered with neither success nor error.')
    },
  }
}
