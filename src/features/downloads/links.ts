import { minutes } from '../../core/clock.ts'
import type { Signer } from '../../core/secrets.ts'

const linkLivesMs = minutes(10)

/** What a link opens: a download of a store, by their public ids. */
export type Linked = { storeId: string; downloadId: string }

/** A link opens a file by itself, for ten minutes: browsers and download managers send no keys. */
export const makeLink = (signer: Signer, { storeId, downloadId }: Linked, nowMs: number) => {
  const endsMs = nowMs + linkLivesMs
  const said = `${storeId}.${downloadId}.${endsMs}`
  return { link: `dlk_${said}.${signer.sign(said)}`, endsMs }
}

/** Null for a link that is none of ours. */
export const readLink = (signer: Signer, link: string, nowMs: number): (Linked & { isOver: boolean }) | null => {
  const [, said, storeId, downloadId, endsMs, signature] =
    /^dlk_((store_\w+)\.(dl_\w+)\.(\d{1,15}))\.([\w-]+)$/.exec(link) ?? []
  if (said === undefined || storeId === undefined || downloadId === undefined || signature === undefined) return null
  if (!signer.verify(said, signature)) return null
  return { storeId, downloadId, isOver: nowMs >= Number(endsMs) }
}
