import { days } from '../../core/clock.ts'
import { randomText } from '../../core/ids.ts'
import type { Signer } from '../../core/secrets.ts'
import type { StoreId } from '../context.ts'

/** A guest expires this long after the token was last renewed. */
export const guestTtlMs = days(30)

const renewalAgeMs = days(1)

/** A guest is an id signed for one store. The first write creates the row, so visitors who only browse leave none. */
export const newGuestId = () => randomText(26)

export const makeGuestToken = (signer: Signer, storeId: StoreId, guestId: string, nowMs: number) => {
  const expiry = Math.ceil((nowMs + guestTtlMs) / 1000).toString(36)
  return `gst_${guestId}.${expiry}.${signer.sign(`${storeId}.${guestId}.${expiry}`)}`
}

export type ReadGuest = { guestId: string; isDueForRenewal: boolean }

/** Null when the token is forged, expired, or of another store. */
export const readGuestToken = (signer: Signer, storeId: StoreId, token: string, nowMs: number): ReadGuest | null => {
  const [, guestId = '', expiry = '', signature = ''] = tokenShape.exec(token) ?? []
  if (guestId === '' || !signer.verify(`${storeId}.${guestId}.${expiry}`, signature)) return null
  const leftMs = Number.parseInt(expiry, 36) * 1000 - nowMs
  return leftMs > 0 ? { guestId, isDueForRenewal: leftMs < guestTtlMs - renewalAgeMs } : null
}

const tokenShape = /^gst_([0-9a-z]{26})\.([0-9a-z]{1,9})\.([\w-]{22})$/
