import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import type { Services } from '../features/context.ts'
import { makeCachedAnswer } from '../http/cached-answers.ts'
import { sendAnswer } from '../http/send-answer.ts'
import { createServer } from '../http/server.ts'
import { createShelf } from './assets.ts'
import { moveParcel } from './development.ts'

export type ShopOptions = {
  services: Pick<Services, 'db' | 'clock'>
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

const servePages = (server: FastifyInstance, { apiUrl, store, codeFor }: ShopOptions) => {
  const shelf = createShelf()
  const shown = { apiUrl, storeKey: store.browserKey }
  const config = escapeScript(JSON.stringify({ ...shown, development: true, showsCodes: codeFor !== null }))
  const headers = { 'content-security-policy': policyFor(apiUrl), 'referrer-policy': 'no-referrer' }
  const cacheControl = 'no-cache'

  server.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = (await shelf()).assets.get(request.params.name)
    if (asset === undefined) throw fail('NOT_FOUND', 'There is no such file.')
    return sendAnswer(request, reply, asset.answer, { type: asset.type, cacheControl, vary: 'Accept-Encoding' })
  })
  // Every other address is one of the shop's own pages, which its script tells apart.
  server.setNotFoundHandler(async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw fail('NOT_FOUND')
    const { page } = await shelf()
    const answer = makeCachedAnswer(
      page.replace('"__CONFIG__"', () => config),
      { headers },
    )
    return sendAnswer(request, reply, answer, {
      type: 'text/html; charset=utf-8',
      cacheControl,
      vary: 'Accept-Encoding',
    })
  })
}

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

/** Inside a script element nothing may look like its end. */
const escapeScript = (json: string) => json.replaceAll('<', '\\u003c')
