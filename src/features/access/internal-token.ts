import { createHmac } from 'node:crypto'
import { isIdShaped } from '../../core/ids.ts'
import { equalBytes } from '../../core/secrets.ts'

const longestLifeSeconds = 3600

/** The store that an internal token speaks for, or null when the token is not valid now. */
export const readInternalToken = (token: string, secrets: readonly string[], nowMs: number): string | null => {
  const [payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !secrets.some((secret) => isSignedBy(secret, payload, signature))) return null
  const claims = parseClaims(payload)
  if (claims === null) return null
  const secondsLeft = claims.exp - nowMs / 1000
  return secondsLeft > 0 && secondsLeft <= longestLifeSeconds ? claims.storeId : null
}

/** For servers that trust each other: what to send as `X-Internal-Storefront-Token`. */
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
    const isMeant = typeof claims?.storeId === 'string' && isIdShaped('store', claims.storeId)
    return isMeant && Number.isFinite(claims.exp) ? claims : null
  } catch {
    return null
  }
}
