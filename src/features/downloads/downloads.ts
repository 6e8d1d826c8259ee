import { basename } from 'node:path/posix'
import { fail } from '../../core/errors.ts'
import type { Signer } from '../../core/secrets.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { cursorScope, type Page, readPage, showImage } from '../catalog/catalog.ts'
import type { CustomerCtx, Services } from '../context.ts'
import type { Download } from './downloads.contract.ts'
import * as sql from './downloads.sql.ts'
import type { FileShelf, FoundFile } from './files.ts'
import { makeLink, readLink } from './links.ts'

export type DownloadServices = Pick<Services, 'db' | 'clock'> & { links: Signer; files: FileShelf }

export const listDownloads = (
  ctx: CustomerCtx,
  query: { limit?: number; cursor?: string },
): Promise<Page<Download>> => {
  const { customerId } = ctx.shopper
  return readPage(ctx, query, cursorScope(ctx, 'downloads', { customer: customerId }), {
    read: (position, limit) => {
      const [before = null] = (position ?? []) as [string?]
      return sql.listDownloads(ctx.db, ctx.store.id, { customerId, before, limit })
    },
    positionOf: ({ id }) => [id],
    show: ({ digital, ...row }) => ({
      ...row,
      orderNumber: String(row.orderNumber),
      image: showImage(ctx, row.image),
      fileName: nameOf(digital),
      remaining: Math.max(0, row.mostUses - row.used),
      expiresAt: row.expiresAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
    }),
  })
}

const nameOf = ({ name, file }: sql.DownloadRow['digital']) => name || (file ? basename(file) : '')

/** The address of the file for the next minutes. It costs a use, unless the store has lost the file. */
export const useDownload = async (
  ctx: CustomerCtx,
  id: string,
  { links, files }: DownloadServices,
): Promise<{ url: string; expiresAt: string }> => {
  const { customerId } = ctx.shopper
  const download = await sql.findDownload(ctx.db, ctx.store.id, id, customerId)
  if (download === undefined) throw fail('NOT_FOUND', 'There is no such download.')
  refuseUnlessOpen(download)
  const { file } = download.digital
  if (file && !(await files.has(file))) throw lostFile(id, file)
  if (!(await sql.countUse(ctx.db, ctx.store.id, id, customerId)))
    throw fail('GONE', 'This download is used up. Ask the store for help.')
  const { link, endsMs } = makeLink(links, { storeId: ctx.store.publicId, downloadId: id }, ctx.clock.now())
  return { url: `${ctx.publicUrl}/downloads/${link}`, expiresAt: new Date(endsMs).toISOString() }
}

/** What a link leads to: a file of ours, or an address elsewhere. */
export type Opened = ({ kind: 'file'; name: string } & FoundFile) | { kind: 'elsewhere'; url: string }

export const openLink = async ({ db, clock, links, files }: DownloadServices, link: string): Promise<Opened> => {
  const linked = readLink(links, link, clock.now())
  if (linked === null) throw fail('NOT_FOUND', 'This link is not valid.')
  if (linked.isOver) throw fail('GONE', 'This link has expired. Get a new one from your downloads.')
  const store = await findStoreByPublicId(db, linked.storeId)
  const download = store && (await sql.findDownload(db, store.id, linked.downloadId))
  if (download === undefined) throw fail('NOT_FOUND', 'This link is not valid.')
  refuseUnlessOpen(download)
  const { file, url } = download.digital
  if (file) {
    const found = await files.open(file)
    if (found === undefined) throw lostFile(linked.downloadId, file)
    return { kind: 'file', name: nameOf(download.digital), ...found }
  }
  if (url && /^https?:\/\//i.test(url) && URL.canParse(url)) return { kind: 'elsewhere', url: new URL(url).href }
  throw fail('INTERNAL', undefined, { cause: new Error(`download ${linked.downloadId} leads nowhere: ${url}`) })
}

const refuseUnlessOpen = ({ isPaid, isExpired }: sql.DownloadState) => {
  if (!isPaid) throw fail('GONE', 'This order was paid back.')
  if (isExpired) throw fail('GONE', 'This download has expired.')
}

const lostFile = (id: string, file: string) =>
  fail('INTERNAL', 'The file is missing at the store. It has been noted; please try again later.', {
    cause: new Error(`the file "${file}" of download ${id} is in no files folder`),
  })
