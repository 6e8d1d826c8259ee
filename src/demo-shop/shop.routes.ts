import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import type { Services } from '../features/context.ts'
import { makeCachedAnswer } from '../http/cached-answers.ts'
import { sendAnswer } from '../http/send-answer.ts'
import { createServer } from '../http/server.ts'
import { robotsText } from './addresses.ts'
import { createShelf } from './assets.ts'
import { moveParcel } from './development.ts'
import { describePage, headHtml, scriptJson, unreadable } from './page-head.ts'

export type ShopOptions = {
  services: Services
  store: { id: string; browserKey: string }
  apiUrl: string
  /** The last code that was sent to a phone; null when they go to real phones. */
  codeFor: ((phone: string) => string | undefined) | null
  logger: FastifyBaseLogger
}

/** The demo shop on a server of its own: another origin than the API's, as every storefront is. */
export const createShopServer = (options: ShopOptions): FastifyInstance => {
  const server = createServer({ logger: options.logger, trustProxy: false, fastLane: () => false })
  servePages(server, options)
  serveDevelopment(server, options)
  return server
}

const servePages = (server: FastifyInstance, { services, apiUrl, store, codeFor }: ShopOptions) => {
  const shelf = createShelf()
  const shown = { apiUrl, storeKey: store.browserKey }
  const config = scriptJson({ ...shown, development: true, showsCodes: codeFor !== null })
  const headers = { 'content-security-policy': policyFor(apiUrl), 'referrer-policy': 'no-referrer' }
  const cacheControl = 'no-cache'
  const vary = 'Accept-Encoding'
  const robots = makeCachedAnswer(robotsText)

  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = (await shelf()).assets.get(request.params.name)
    if (asset === undefined) throw fail('NOT_FOUND', 'There is no such file.')
    return sendAnswer(request, reply, asset.answer, { type: asset.type, cacheControl, vary })
  })
  server.get('/robots.txt', (request, reply) =>
    sendAnswer(request, reply, robots, { type: 'text/plain; charset=utf-8', cacheControl, vary }),
  )
  // Every other address is the shop's page, which shows what belongs there or says that there is nothing.
  server.setNotFoundHandler(async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw fail('NOT_FOUND')
    const { page } = await shelf()
    const origin = originOf(request)
    const [path = '/', query] = request.url.split(/\?(.*)/s, 2)
    const asked = { path, query: new URLSearchParams(query), origin }
    const head = await describePage(services, store.id, asked).catch((error: unknown) => {
      request.log.error({ req: request.id, err: error }, 'reading the catalog for a page of the demo shop failed')
      return unreadable
    })
    const html = page.replace('"__CONFIG__"', () => config).replace('<!--HEAD-->', () => headHtml(head, origin))
    const type = 'text/html; charset=utf-8'
    // Only what is there can be "not modified".
    if (head.status !== 200) {
      return reply
        .code(head.status)
        .headers({ ...headers, 'content-type': type, 'cache-control': cacheControl })
        .send(html)
    }
    return sendAnswer(request, reply, makeCachedAnswer(html, { headers }), { type, cacheControl, vary })
  })
}

/** Links that leave the page need the whole address. A host that could not be one is not repeated. */
const originOf = ({ protocol, host }: FastifyRequest) =>
  /^([\w.-]{1,255}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : ''

/** What a shopper's own phone and a carrier would do, for one who tries things out on this machine. */
const serveDevelopment = (server: FastifyInstance, { services, store, codeFor }: ShopOptions) => {
  const onlyHere = async (request: FastifyRequest) => {
    // A page elsewhere that gave its own name this machine's address would come with that name.
    const isNamedSo = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')
    const isFromHere = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '')
    if (!isNamedSo || !isFromHere) throw fail('FORBIDDEN')
  }
  server.get<{ Querystring: { phone?: string } }>('/dev/code', { onRequest: onlyHere }, (request, reply) => {
    const code = codeFor?.(String(request.query.phone ?? ''))
    if (code === undefined) throw fail('NOT_FOUND', 'No code was sent to this phone.')
    return reply.header('cache-control', 'no-store').send({ code })
  })
  server.post<{ Body?: { orderId?: unknown } }>('/dev/delivery', { onRequest: onlyHere }, async (request, reply) => {
    const orderId = request.body?.orderId
    if (typeof orderId !== 'string') throw fail('BAD_REQUEST', 'orderId is required.')
    await moveParcel(services, store.id, orderId)
    return reply.code(204).send()
  })
}

/** Pictures of an imported catalog may come from anywhere; scripts, styles and calls may not. */
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
