import { mailedEventTypes } from './events.contract.ts'

/** Mail that tells of no event. */
const directMessages = [
  'password.reset',
  'email.verify',
  'otp.code',
  'staff.invitation',
  'staff.reset',
  'webhook.disabled',
] as const
export type DirectMessage = (typeof directMessages)[number]

/**
 * Mail is sent by a job for each lane. A code does not wait for mail about orders. Mail that resets a password is alone,
 * because an address without an account gets none: in a common lane, the delay of other mail would tell which it was.
 */
export type MailLane = 'order' | 'code' | 'reset'

export const laneOf = (message: MessageName): MailLane => {
  if (message === 'password.reset') return 'reset'
  return message === 'otp.code' || message === 'email.verify' ? 'code' : 'order'
}

/** A store cannot switch these off: a shopper has asked for them, and cannot sign in without them. */
export const isAlwaysSent = (message: MessageName) => laneOf(message) !== 'order'

/** The job that sends the mail of a lane. */
export const mailJobNames = {
  order: 'mail',
  code: 'sign-in-mail',
  reset: 'password-reset-mail',
} as const satisfies Record<MailLane, string>

/** The name of a message, which its mail carries in `X-Vitrine-Message`. */
export type MessageName = (typeof mailedEventTypes)[number] | DirectMessage

export const messageNames: readonly MessageName[] = [...mailedEventTypes, ...directMessages]

export const isMessageName = (name: string): name is MessageName => messageNames.some((known) => known === name)
