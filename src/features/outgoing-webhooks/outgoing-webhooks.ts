import { createAddressGuard, type ResolveHost } from '../../core/address-guard.ts'
import { seconds } from '../../core/clock.ts'
import { deriveCipher } from '../../core/encryption.ts'
import type { OutgoingWebhooks } from '../context.ts'

type Reports = Partial<Pick<OutgoingWebhooks, 'onGivenUp' | 'onSwitchedOff' | 'onEnded'>>

export type OutgoingWebhookOptions = Reports & {
  secrets: readonly string[]
  production: boolean
  version: string
  showEvent: OutgoingWebhooks['showEvent']
  callLimitMs?: number
  /** Replaces the name servers, for tests. */
  resolve?: ResolveHost
}

export const createOutgoingWebhooks = ({
  secrets,
  production,
  version,
  showEvent,
  onGivenUp = () => {},
  onSwitchedOff = () => {},
  onEnded = () => {},
  callLimitMs = seconds(15),
  resolve,
}: OutgoingWebhookOptions): OutgoingWebhooks => ({
  secrets: deriveCipher(secrets, 'webhook-secret'),
  guard: createAddressGuard({ production, ...(resolve === undefined ? {} : { resolve }) }),
  userAgent: `Vitrine/${version}`,
  callLimitMs,
  showEvent,
  onGivenUp,
  onSwitchedOff,
  onEnded,
})
