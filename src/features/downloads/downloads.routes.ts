import type { FastifyInstance, FastifyReply } from 'fastify'
import { routes } from '../context.ts'
import { downloadsContract } from './downloads.contract.ts'
import {
  type Described,
  type DownloadServices,
  describeLink,
  listDownloads,
  openLink,
  useDownload,
} from './downloads.ts'
import { dispositionOf } from './files.ts'

export const downloadRoutes = (services: DownloadServices) =>
  routes(downloadsContract, {
    listDownloads: async ({ ctx, query }) => ({ body: await listDownloads(ctx, query) }),
    useDownload: async ({ ctx, params }) => ({
      body: null,
      headers: { location: (await useDownload(ctx, params.id, services)).url, 'cache-control': 'no-store' },
    }),
    makeDownloadLink: async ({ ctx, params }) => ({
      body: await useDownload(ctx, params.id, services),
      headers: { 'cache-control': 'no-store' },
    }),
  })

/** Serves download links. They are not part of the API contract: only Vitrine makes these URLs. */
export const registerDownloadLinks = (server: FastifyInstance, services: DownloadServices) => {
  type Linked = { Params: { link: string } }
  // The HEAD route that Fastify derives from a GET would read the whole file and discard it.
  server.get<Linked>('/downloads/:link', { exposeHeadRoute: false }, async (request, reply) => {
    const opened = await openLink(services, request.params.link)
    writeHeaders(reply, opened)
    if (opened.kind === 'elsewhere') return reply.send()
    return reply.send(opened.handle.createReadStream({ start: 0, end: Math.max(0, opened.size - 1) }))
  })
  server.head<Linked>('/downloads/:link', async (request, reply) => {
    writeHeaders(reply, await describeLink(services, request.params.link))
    return reply.send()
  })
}

const writeHeaders = (reply: FastifyReply, described: Described) => {
  // The URL alone opens the file, so it must not leak through the Referer header.
  reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
  if (described.kind === 'elsewhere') return reply.code(302).header('location', described.url)
  return reply.headers({
    'content-type': 'application/octet-stream',
    'content-length': String(described.size),
    'content-disposition': dispositionOf(described.name),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
}
