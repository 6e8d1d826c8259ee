import type { Signer } from '../../core/secrets.ts'

/** The address of a sandbox page opens one payment of one store, and cannot be guessed from another one. */
export const makePageToken = (signer: Signer, storeId: string, paymentId: string) => {
  const payload = `${storeId}.${paymentId}`
  return `${payload}.${signer.sign(payload)}`
}

export const readPageToken = (signer: Signer, token: string): { storeId: string; paymentId: string } | null => {
  const [storeId, paymentId, signature, ...rest] = token.split('.')
  if (!storeId || !paymentId || !signature || rest.length > 0) return null
  return signer.verify(`${storeId}.${paymentId}`, signature) ? { storeId, paymentId } : null
}
