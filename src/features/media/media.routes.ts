import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../core/errors.ts'
import { mediaTypeOf } from '../../core/media-path.ts'
import { type FileStorage, immutableFor } from '../../providers/storage/storage.ts'

type Named = { Params: { storeId: string; name: string } }

/** Pages of any origin may show the pictures. One that is opened directly can do nothing. */
const headers = {
  'cache-control': immutableFor,
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
}

/**
 * Serves pictures. They are not part of the API contract: only Vitrine makes these URLs. No query is needed, because a
 * file that is there may be shown.
 */
export const registerMediaFiles = (server: FastifyInstance, storage: FileStorage) => {
  const answer = async (request: FastifyRequest<Named>, reply: FastifyReply) => {
    const { storeId, name } = request.params
    const type = mediaTypeOf(name)
    if (type === undefined || !/^store_\w{1,60}$/.test(storeId)) throw notFound()
    const etag = `"${name}"`
    // The name stands for the content.
    if (request.headers['if-none-match'] === etag)
      return reply
        .code(304)
        .headers({ ...headers, etag })
        .send()
    const file = await storage.open(`${storeId}/${name}`).catch((error: unknown) => {
      throw fail('SERVICE_UNAVAILABLE', undefined, { headers: notCached, cause: error })
    })
    if (file === undefined) throw notFound()
    reply.headers({ ...headers, etag, 'content-type': type, 'content-length': String(file.bytes) })
    if (request.method !== 'HEAD') return reply.send(file.stream)
    file.stream.destroy()
    return reply.send()
  }
  server.get<Named>('/media/:storeId/:name', { exposeHeadRoute: false }, answer)
  server.head<Named>('/media/:storeId/:name', answer)
}

const notCached = { 'cache-control': 'no-store' }
const notFound = () => fail('NOT_FOUND', 'There is no such picture.', { headers: notCached })
