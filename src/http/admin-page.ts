import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { shortenText } from '../core/text.ts'
import { makeCachedAnswer } from './cached-answers.ts'
import { adminPage, createAssetLoader } from './page-assets.ts'
import { sendAnswer } from './send-answer.ts'

/** Pictures of products may be on any host; everything else comes from the service. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const vary = 'Accept-Encoding'

/** Serves the page of merchants. Every address below /admin is the same document, whose script shows the content. */
export const registerAdminPage = (server: FastifyInstance) => {
  const loadAssets = createAssetLoader(adminPage)
  server.get<{ Params: { name: string } }>('/admin/assets/:name', async (request, reply) => {
    const { name } = request.params
    const asset = (await loadAssets(({ assets }) => assets.has(name))).assets.get(name)
    // Of another version. Another instance may have it, and this one after an upgrade.
    if (asset === undefined)
      throw fail('NOT_FOUND', 'There is no such file.', { headers: { 'cache-control': 'no-store' } })
    // The names change with the content.
    const cacheControl = 'public, max-age=31536000, immutable'
    return sendAnswer(request, reply, asset.answer, { type: asset.type, cacheControl, vary })
  })
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { page } = await loadAssets()
    return sendAnswer(request, reply, makeCachedAnswer(page, { headers }), {
      ...{ type: 'text/html; charset=utf-8', cacheControl: 'no-cache', vary },
    })
  }
  server.get('/admin', sendPage)
  server.get<{ Params: { '*': string } }>('/admin/*', (request, reply) => {
    const path = request.params['*']
    if (isOfApi(path)) throw fail('NOT_FOUND', `There is no ${request.method} /admin/${shortenText(path, 200)}.`)
    return sendPage(request, reply)
  })
}

const isOfApi = (path: string) => /^(v\d+(\/|$)|openapi\.json$|assets(\/|$))/.test(path)
