import { createHmac } from 'node:crypto'
import { equalSecrets } from '../core/secrets.ts'

/** A credential holds two values, separated by a comma, while it is being rotated. */
export const splitSecrets = (credential: string | undefined): string[] =>
  (credential ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')

export const hmacHex = (secret: string, ...parts: (string | Buffer)[]): string => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

/** Whether one of the secrets made one of the signatures. */
export const isSignedByOneOf = (
  secrets: readonly string[],
  signatures: readonly string[],
  sign: (secret: string) => string,
): boolean =>
  secrets.some((secret) => {
    const expected = sign(secret)
    return signatures.some((signature) => equalSecrets(signature, expected))
  })
