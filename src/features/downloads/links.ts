import { minutes } from '../../core/clock.ts'
import type { Signer } from '../../core/secrets.ts'

const linkTtlMs = minutes(10)

/** The public ids that a link contains. */
export type Linked = { storeId: string; downloadId: string }

/** A link works without a key, because browsers and download managers send none. It expires after ten minutes. */
export const makeLink = (signer: Signer, { storeId, downloadId }: Linked, nowMs: number) => {
  const expiresMs = nowMs + linkTtlMs
  const payload = `${storeId}.${downloadId}.${expiresMs}`
  return { link: `dlk_${payload}.${signer.sign(payload)}`, expiresMs }
}

/** Null if the signature is invalid. */
export const readLink = (signer: Signer, link: string, nowMs: number): (Linked & { isExpired: boolean }) | null => {
  const [, payload, storeId, downloadId, expiresMs, signature] =
    /^dlk_((store_\w+)\.(dl_\w+)\.(\d{1,15}))\.([\w-]+)$/.exec(link) ?? []
  if (payload === undefined || storeId === undefined || downloadId === undefined || signature === undefined) return null
  if (!signer.verify(payload, signature)) return null
  return { storeId, downloadId, isExpired: nowMs >= Number(expiresMs) }
}
