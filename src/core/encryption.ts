import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts texts that must be read again, such as the credentials of a payment provider. The first secret encrypts and
 * every secret decrypts, so that secrets can be rotated. `context` names the owner of a text (additional authenticated
 * data): a sealed text that is copied to another owner does not open.
 */
export type Cipher = {
  seal(text: string, context: string): string
  /** Null when no secret opens it: it was changed, has another context, or was sealed with a removed secret. */
  open(sealed: string, context: string): string | null
}

export type SealPurpose = 'payment-account' | 'carrier-account' | 'webhook-secret' | 'mail' | 'staff'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

export const deriveCipher = (secrets: readonly string[], purpose: SealPurpose): Cipher => {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `vitrine seal ${purpose}`, 32)))
  const [sealing] = keys
  if (sealing === undefined) throw new Error('a cipher needs at least one secret')
  return {
    seal: (text, context) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, sealing, iv).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`
    },
    open: (sealed, context) => {
      const [version, text = '', ...rest] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (version !== 'v1' || rest.length > 0 || bytes.length < ivBytes + tagBytes) return null
      for (const key of keys) {
        const opened = tryOpen(key, bytes, context)
        if (opened !== null) return opened
      }
      return null
    },
  }
}

const tryOpen = (key: Buffer, bytes: Buffer, context: string): string | null => {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
