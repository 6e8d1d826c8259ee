import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Keeps texts that have to be read again, such as the credentials of a payment provider. The first secret seals; all of
 * them open, so that a secret can be rotated. `place` says where a sealed text belongs: moved elsewhere it does not open.
 */
export type Cipher = {
  seal(text: string, place: string): string
  /** Null when no secret opens it: it was changed, moved, or sealed with a secret that is gone. */
  open(sealed: string, place: string): string | null
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

export const deriveCipher = (secrets: readonly string[], purpose: 'payment-account'): Cipher => {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `vitrine seal ${purpose}`, 32)))
  const [sealing] = keys
  if (sealing === undefined) throw new Error('a cipher needs at least one secret')
  return {
    seal: (text, place) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, sealing, iv).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`
    },
    open: (sealed, place) => {
      const [version, text = '', ...rest] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (version !== 'v1' || rest.length > 0 || bytes.length < ivBytes + tagBytes) return null
      for (const key of keys) {
        const opened = tryOpen(key, bytes, place)
        if (opened !== null) return opened
      }
      return null
    },
  }
}

const tryOpen = (key: Buffer, bytes: Buffer, place: string): string | null => {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
