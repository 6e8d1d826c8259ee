import type { Signer } from '../../core/secrets.ts'

/** The signed part of a sandbox page URL. It opens one payment of one store and cannot be guessed. */
export const makePageToken = (signer: Signer, storeId: string, paymentId: string) => {
  const payload = `${storeId}.${paymentId}`
  return `${payload}.${signer.sign(payload)}`
}

export const readPageToken = (signer: Signer, token: string): { storeId: string; paymentId: string } | null => {
  const [storeId, paymentId, signature, ...rest] = token.split('.')
  if (!storeId || !paymentId || !signature || rest.length > 0) return null
  return signer.verify(`${storeId}.${paymentId}`, signature) ? { storeId, paymentId } : null
}
