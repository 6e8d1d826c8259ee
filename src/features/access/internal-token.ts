import { createHmac } from 'node:crypto'
import { isIdShaped } from '../../core/ids.ts'
import { equalBytes } from '../../core/secrets.ts'

const maxTtlSeconds = 3600

/** The store of an internal token, or null when the token is invalid or expired. */
export const readInternalToken = (token: string, secrets: readonly string[], nowMs: number): string | null => {
  const [payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !secrets.some((secret) => isSignedBy(secret, payload, signature))) return null
  const claims = parseClaims(payload)
  if (claims === null) return null
  const secondsLeft = claims.exp - nowMs / 1000
  return secondsLeft > 0 && secondsLeft <= maxTtlSeconds ? claims.storeId : null
}

/** The value of `X-Internal-Storefront-Token` for servers that share the secret. */
export const makeInternalToken = (storeId: string, expSeconds: number, secret: string) => {
  const payload = Buffer.from(JSON.stringify({ storeId, exp: expSeconds })).toString('base64url')
  return `${payload}.${mac(secret, payload).toString('base64url')}`
}

const mac = (secret: string, payload: string) => createHmac('sha256', secret).update(payload).digest()

const isSignedBy = (secret: string, payload: string, signature: string) =>
  equalBytes(mac(secret, payload), Buffer.from(signature, 'base64url'))

const parseClaims = (payload: string): { storeId: string; exp: number } | null => {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const hasStore = typeof claims?.storeId === 'string' && isIdShaped('store', claims.storeId)
    return hasStore && Number.isFinite(claims.exp) ? claims : null
  } catch {
    return null
  }
}
