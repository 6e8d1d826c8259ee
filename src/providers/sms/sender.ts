/** What a one-time password is sent with. `text` is the whole message, for vendors that take one. */
export type SmsMessage = {
  phone: string /* E.164 */
  code: string
  text: string
  storeId: string
  storeName: string
}

/**
 * Sends one message, once: nothing here tries again, since a second message costs money and may overtake the first.
 * `send` resolves when the vendor has taken the message over, and otherwise rejects with one of the two errors below.
 */
export type SmsSender = { name: string; send(message: SmsMessage): Promise<void> }

/**
 * The message was certainly not sent: the vendor answered and said no (a 4xx, or what the vendor uses for one), or
 * there was no connection to send the request on (the name is unknown, the port closed, the certificate wrong). Whoever
 * asked may ask again, and the request need not be counted.
 */
export class SmsRefused extends Error {
  override name = 'SmsRefused'
}

/**
 * The message may be on its way: no answer in time, a connection that was lost, or an answer that is neither a yes nor
 * a no (a 5xx, a redirect, something unreadable where the words decide). It counts like a message that was sent, or
 * else a slow vendor would be a way around the limit.
 *
 * The time limit covers connecting too, and its end does not tell how far we got; so a timeout always belongs here.
 */
export class SmsUncertain extends Error {
  override name = 'SmsUncertain'
}
