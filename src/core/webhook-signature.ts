import { createHmac, randomBytes } from 'node:crypto'

/** Signatures of outgoing webhooks as the specification Standard Webhooks defines them. */
const prefix = 'whsec_'

export const newWebhookSecret = () => `${prefix}${randomBytes(32).toString('base64')}`

export type SignedMessage = { id: string; timestampSeconds: number; body: string }

/** One signature for each secret, separated by spaces: the receiver accepts any of them. */
export const signWebhook = (secrets: readonly string[], { id, timestampSeconds, body }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`
    })
    .join(' ')
