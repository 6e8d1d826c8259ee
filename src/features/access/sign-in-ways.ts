import type { SignInWay } from '../context.ts'

/** Codes need a sender; a password always works. */
export const listSignInWays = (senders: { sms: boolean; mail: boolean }): readonly SignInWay[] => [
  ...(senders.sms ? (['phone'] as const) : []),
  ...(senders.mail ? (['email'] as const) : []),
  'password',
]
