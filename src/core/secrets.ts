import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** A signing key for one purpose. The first secret signs and every secret verifies, so that secrets can be rotated. */
export type Signer = {
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

export type Purpose = 'cursor' | 'guest' | 'otp' | 'download' | 'sandbox' | 'sandbox-webhook' | 'simulate' | 'backup'

export const deriveSigner = (secrets: readonly string[], purpose: Purpose): Signer => {
  // A key object is read once, and bytes at every signature, which then takes half as long again.
  const keys = secrets.map((secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `vitrine ${purpose}`, 32))),
  )
  const [signing] = keys
  if (signing === undefined) throw new Error('a signer needs at least one secret')
  return {
    sign: (text) => shortMac(signing, text),
    verify: (text, signature) =>
      keys.some((key) => equalBytes(Buffer.from(shortMac(key, text)), Buffer.from(signature))),
  }
}

/** The first 128 bits of an HMAC-SHA-256: still not guessable, and half as long in a URL. */
const shortMac = (key: KeyObject, text: string) =>
  createHmac('sha256', key).update(text).digest().toString('base64url', 0, 16)

/** For secrets with 128 random bits or more, which need no slow hash. */
export const hashSecret = (secret: string) => hash('sha256', secret, 'base64url')

export const equalBytes = (a: Uint8Array, b: Uint8Array) => a.byteLength === b.byteLength && timingSafeEqual(a, b)

/** Compares in constant time, so that the time does not reveal where the texts differ. */
export const equalSecrets = (a: string, b: string) =>
  equalBytes(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
