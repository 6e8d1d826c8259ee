import { basename } from 'node:path/posix'
import { fail } from '../../core/errors.ts'
import type { Signer } from '../../core/secrets.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import { showImage, showSizes } from '../catalog/show-image.ts'
import type { DigitalFile } from '../catalog/whole-product.sql.ts'
import type { CustomerCtx, Services } from '../context.ts'
import { cursorScope, type Page, readPage } from '../paging.ts'
import type { Download } from './downloads.contract.ts'
import * as sql from './downloads.sql.ts'
import type { FoundFile, StoreFiles } from './files.ts'
import { makeLink, readLink } from './links.ts'

export type DownloadServices = Pick<Services, 'db' | 'clock'> & { links: Signer; files: StoreFiles }

export const listDownloads = (
  ctx: CustomerCtx,
  query: { limit?: number; cursor?: string },
): Promise<Page<Download>> => {
  const { customerId } = ctx.shopper
  return readPage(ctx, query, cursorScope(ctx, 'downloads', { customer: customerId }), {
    read: (position, limit) => {
      const before = typeof position?.[0] === 'string' ? position[0] : null
      return sql.listDownloads(ctx.db, ctx.store.id, { customerId, before, limit })
    },
    positionOf: ({ id }) => [id],
    show: ({ digital, ...row }) => ({
      ...row,
      orderNumber: String(row.orderNumber),
      image: showImage(ctx, row.image),
      ...showSizes(ctx, row.image),
      fileName: nameOf(digital),
      remaining: Math.max(0, row.mostUses - row.used),
      expiresAt: row.expiresAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
    }),
  })
}

const nameOf = ({ name, file }: DigitalFile) => name || (file ? basename(file) : '')

/** Returns a link to the file, valid for ten minutes. Counts as a use, unless the file is missing. */
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
  if (file && (await files.sizeOf(ctx.store.publicId, file)) === undefined) throw lostFile(id, file)
  if (!(await sql.countUse(ctx.db, ctx.store.id, id, customerId)))
    throw fail('GONE', 'This download is used up. Ask the store for help.')
  const { link, expiresMs } = makeLink(links, { storeId: ctx.store.publicId, downloadId: id }, ctx.clock.now())
  return { url: `${ctx.publicUrl}/downloads/${link}`, expiresAt: new Date(expiresMs).toISOString() }
}

/** The target of a link: a file of the store, or an external URL. */
type Target = { kind: 'file'; storeId: string; downloadId: string; file: string; name: string } | Elsewhere
type Elsewhere = { kind: 'elsewhere'; url: string }

export type Opened = ({ kind: 'file'; name: string } & FoundFile) | Elsewhere
export type Described = { kind: 'file'; name: string; size: number } | Elsewhere

export const openLink = async (services: DownloadServices, link: string): Promise<Opened> => {
  const target = await followLink(services, link)
  if (target.kind === 'elsewhere') return target
  const found = await services.files.open(target.storeId, target.file)
  if (found === undefined) throw lostFile(target.downloadId, target.file)
  return { kind: 'file', name: target.name, ...found }
}

/** The same as `openLink`, without opening the file for reading. */
export const describeLink = async (services: DownloadServices, link: string): Promise<Described> => {
  const target = await followLink(services, link)
  if (target.kind === 'elsewhere') return target
  const size = await services.files.sizeOf(target.storeId, target.file)
  if (size === undefined) throw lostFile(target.downloadId, target.file)
  return { kind: 'file', name: target.name, size }
}

const followLink = async ({ db, clock, links }: DownloadServices, link: string): Promise<Target> => {
  const linked = readLink(links, link, clock.now())
  if (linked === null) throw fail('NOT_FOUND', 'This link is not valid.')
  if (linked.isExpired) throw fail('GONE', 'This link has expired. Get a new one from your downloads.')
  const store = await findStoreByPublicId(db, linked.storeId)
  const download = store && (await sql.findDownload(db, store.id, linked.downloadId))
  if (download === undefined) throw fail('NOT_FOUND', 'This link is not valid.')
  refuseUnlessOpen(download)
  const { file, url } = download.digital
  if (file)
    return {
      kind: 'file',
      storeId: linked.storeId,
      downloadId: linked.downloadId,
      file,
      name: nameOf(download.digital),
    }
  if (url && /^https?:\/\//i.test(url) && URL.canParse(url)) return { kind: 'elsewhere', url: new URL(url).href }
  throw fail('INTERNAL', undefined, {
    cause: new Error(`download ${linked.downloadId} has no file and no valid URL: ${url}`),
  })
}

const refuseUnlessOpen = ({ isPaid, isExpired }: sql.DownloadState) => {
  if (!isPaid) throw fail('GONE', 'This order was refunded.')
  if (isExpired) throw fail('GONE', 'This download has expired.')
}

const lostFile = (id: string, file: string) =>
  fail('INTERNAL', 'The file is missing. Please contact the store.', {
    cause: new Error(`the file "${file}" of download ${id} is not in the files folder of its store`),
  })
