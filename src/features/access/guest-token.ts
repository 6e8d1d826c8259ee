import { days } from '../../core/clock.ts'
import { randomText } from '../../core/ids.ts'
import type { Signer } from '../../core/secrets.ts'
import type { StoreId } from '../context.ts'

/** How long a guest is remembered after the last use of the token. */
export const guestLifeMs = days(30)

const renewalAgeMs = days(1)

/**
 * A guest is an id that we have signed for a store. Nothing is stored until the guest writes something, so that a
 * visitor who only looks leaves no row behind.
 */
export const newGuestId = () => randomText(26)

export const makeGuestToken = (signer: Signer, storeId: StoreId, guestId: string, nowMs: number) => {
  const expiry = Math.ceil((nowMs + guestLifeMs) / 1000).toString(36)
  return `gst_${guestId}.${expiry}.${signer.sign(`${storeId}.${guestId}.${expiry}`)}`
}

export type ReadGuest = { guestId: string; isDueForRenewal: boolean }

/** Null when it is forged, over, or of another store. */
export const readGuestToken = (signer: Signer, storeId: StoreId, token: string, nowMs: number): ReadGuest | null => {
  const [, guestId = '', expiry = '', signature = ''] = tokenShape.exec(token) ?? []
  if (guestId === '' || !signer.verify(`${storeId}.${guestId}.${expiry}`, signature)) return null
  const leftMs = Number.parseInt(expiry, 36) * 1000 - nowMs
  return leftMs > 0 ? { guestId, isDueForRenewal: leftMs < guestLifeMs - renewalAgeMs } : null
}

const tokenShape = /^gst_([0-9a-z]{26})\.([0-9a-z]{1,9})\.([\w-]{22})$/
