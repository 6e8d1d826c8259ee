import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import { makeCachedAnswer } from '../http/cached-answers.ts'
import { createAssetLoader, demoShop } from '../http/page-assets.ts'
import { sendAnswer } from '../http/send-answer.ts'
import { createServer } from '../http/server.ts'
import { robotsText } from './addresses.ts'
import { type DevelopmentOptions, serveDevelopment } from './development.routes.ts'
import { describePage, headHtml, scriptJson, unreadable } from './page-head.ts'

export type ShopOptions = DevelopmentOptions & {
  store: { id: string; browserKey: string }
  logger: FastifyBaseLogger
}

/** The demo shop on its own server, so that it has another origin than the API, like every storefront. */
export const createShopServer = (options: ShopOptions): FastifyInstance => {
  const server = createServer({ logger: options.logger, trustProxy: false, fastLane: () => false })
  servePages(server, options)
  serveDevelopment(server, options)
  return server
}

const servePages = (server: FastifyInstance, options: ShopOptions) => {
  const { services, apiUrl, store, codeFor, mailFolder } = options
  const loadAssets = createAssetLoader(demoShop)
  const api = { apiUrl, storeKey: store.browserKey }
  const development = { development: true, showsCodes: codeFor !== null, showsMail: mailFolder !== null }
  const config = scriptJson({ ...api, ...development })
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

/** Images of an imported catalog may come from any host; scripts, styles and API calls may not. */
const policyFor = (apiUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: https: ${apiUrl}`,
    `connect-src 'self' ${apiUrl}`,
    // The inbox shows mail in a frame.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
