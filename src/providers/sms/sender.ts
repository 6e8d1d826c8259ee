/** `text` is the whole message, for vendors without templates. */
export type SmsMessage = {
  phone: string /* E.164 */
  code: string
  text: string
  storeId: string
  storeName: string
}

/**
 * Sends one message, without retries, since a second message costs money and may arrive first. `send` resolves when the
 * vendor has accepted the message, and otherwise rejects with one of the two errors below.
 */
export type SmsSender = { name: string; send(message: SmsMessage): Promise<void> }

/**
 * The message was certainly not sent: the vendor refused it (a 4xx or its equivalent), or no connection could be made
 * (unknown host, closed port, invalid certificate). The shopper may request another code, and this one need not count.
 */
export class SmsRefused extends Error {
  override name = 'SmsRefused'
}

/**
 * The message may have been sent: a timeout, a lost connection, or a response that neither accepts nor refuses it (a
 * 5xx, a redirect, an unreadable body where the body decides). It counts as sent; otherwise a slow vendor would let
 * callers exceed the limit.
 *
 * The time limit includes connecting and does not show how far the request got, so every timeout belongs here.
 */
export class SmsUncertain extends Error {
  override name = 'SmsUncertain'
}
