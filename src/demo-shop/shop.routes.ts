import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import type { Services } from '../features/context.ts'
import { makeCachedAnswer } from '../http/cached-answers.ts'
import { sendAnswer } from '../http/send-answer.ts'
import { createServer } from '../http/server.ts'
import { robotsText } from './addresses.ts'
import { createAssetLoader } from './assets.ts'
import { moveParcel } from './development.ts'
import { describePage, headHtml, scriptJson, unreadable } from './page-head.ts'

export type ShopOptions = {
  services: Services
  store: { id: string; browserKey: string }
  apiUrl: string
  /** The last code that was sent to a phone; null when codes are sent to real phones. */
  codeFor: ((phone: string) => string | undefined) | null
  logger: FastifyBaseLogger
}

/** The demo shop on its own server, so that it has another origin than the API, like every storefront. */
export const createShopServer = (options: ShopOptions): FastifyInstance => {
  const server = createServer({ logger: options.logger, trustProxy: false, fastLane: () => false })
  servePages(server, options)
  serveDevelopment(server, options)
  return server
}

const servePages = (server: FastifyInstance, { services, apiUrl, store, codeFor }: ShopOptions) => {
  const loadAssets = createAssetLoader()
  const api = { apiUrl, storeKey: store.browserKey }
  const config = scriptJson({ ...api, development: true, showsCodes: codeFor !== null })
  const headers = { 'content-security-policy': policyFor(apiUrl), 'referrer-policy': 'no-referrer' }
  const cacheControl = 'no-cache'
  const vary = 'Accept-Encoding'
  const robots = makeCachedAnswer(robotsText)

  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = (await loadAssets()).assets.get(request.params.name)
    if (asset === undefined) throw fail('NOT_FOUND', 'There is no such file.')
    return sendAnswer(request, reply, asset.answer, { type: asset.type, cacheControl, vary })
  })
  server.get('/robots.txt', (request, reply) =>
    sendAnswer(request, reply, robots, { type: 'text/plain; charset=utf-8', cacheControl, vary }),
  )
  // Every other address serves the same page; its script shows the content or that the page does not exist.
  server.setNotFoundHandler(async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw fail('NOT_FOUND')
    const { page } = await loadAssets()
    const origin = originOf(request)
    const [path = '/', query] = request.url.split(/\?(.*)/s, 2)
    const pageRequest = { path, query: new URLSearchParams(query), origin }
    const head = await describePage(services, store.id, pageRequest).catch((error: unknown) => {
      request.log.error({ req: request.id, err: error }, 'demo shop failed to read the catalog')
      return unreadable
    })
    const html = page.replace('"__CONFIG__"', () => config).replace('<!--HEAD-->', () => headHtml(head, origin))
    const type = 'text/html; charset=utf-8'
    // An error must not be answered with 304 Not Modified.
    if (head.status !== 200) {
      return reply
        .code(head.status)
        .headers({ ...headers, 'content-type': type, 'cache-control': cacheControl })
        .send(html)
    }
    return sendAnswer(request, reply, makeCachedAnswer(html, { headers }), { type, cacheControl, vary })
  })
}

/** Canonical links need an absolute URL. An invalid Host header is not echoed. */
const originOf = ({ protocol, host }: FastifyRequest) =>
  /^([\w.-]{1,255}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : ''

/** Stands in for the shopper's phone and the carrier, for a developer on this machine. */
const serveDevelopment = (server: FastifyInstance, { services, store, codeFor }: ShopOptions) => {
  const requireLocal = async (request: FastifyRequest) => {
    // The Host check stops DNS rebinding: a foreign page whose name resolves to this machine sends its own name.
    const isLocalHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')
    const isLocalAddress = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '')
    if (!isLocalHost || !isLocalAddress) throw fail('FORBIDDEN')
  }
  server.get<{ Querystring: { phone?: string } }>('/dev/code', { onRequest: requireLocal }, (request, reply) => {
    const code = codeFor?.(String(request.query.phone ?? ''))
    if (code === undefined) throw fail('NOT_FOUND', 'No code was sent to this phone.')
    return reply.header('cache-control', 'no-store').send({ code })
  })
  server.post<{ Body?: { orderId?: unknown } }>(
    '/dev/delivery',
    { onRequest: requireLocal },
    async (request, reply) => {
      const orderId = request.body?.orderId
      if (typeof orderId !== 'string') throw fail('BAD_REQUEST', 'orderId is required.')
      await moveParcel(services, store.id, orderId)
      return reply.code(204).send()
    },
  )
}

/** Images of an imported catalog may come from any host; scripts, styles and API calls may not. */
const policyFor = (apiUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: https: ${apiUrl}`,
    `connect-src 'self' ${apiUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
