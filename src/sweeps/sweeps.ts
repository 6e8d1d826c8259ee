import type { Sweep } from './batch.sql.ts'
import { sweepDeliveryEvents, sweepPaymentEvents } from './events.sql.ts'
import { sweepGuestCarts } from './guest-carts.sql.ts'
import { sweepGuests, sweepGuestWishes } from './guests.sql.ts'
import { sweepKeptAnswers } from './kept-answers.sql.ts'
import { sweepOneTimeCodes } from './one-time-codes.sql.ts'
import { sweepOtpHours } from './otp-hours.sql.ts'
import { sweepOtpRequests } from './otp-requests.sql.ts'
import { sweepSessions } from './sessions.sql.ts'
import { sweepSignInFailures } from './sign-in-failures.sql.ts'

/** All of them, by what they sweep away. A guest goes after what belongs to the guest. */
export const sweeps: Readonly<Record<string, Sweep>> = {
  'one-time codes': sweepOneTimeCodes,
  'requests for codes': sweepOtpRequests,
  'failed sign-ins': sweepSignInFailures,
  'counts of codes': sweepOtpHours,
  sessions: sweepSessions,
  'kept answers': sweepKeptAnswers,
  'carts of guests': sweepGuestCarts,
  'wishes of guests': sweepGuestWishes,
  guests: sweepGuests,
  'payment events': sweepPaymentEvents,
  'delivery events': sweepDeliveryEvents,
}
