import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../core/errors.ts'
import type { Services } from '../features/context.ts'
import { moveParcel } from './development.ts'
import { createInbox } from './inbox.ts'

export type DevelopmentOptions = {
  services: Services
  store: { id: string }
  apiUrl: string
  /** The last code that was sent to a phone; null when codes are sent to real phones. */
  codeFor: ((phone: string) => string | undefined) | null
  /** Where mail is written instead of being sent; null when it is sent. */
  mailFolder: string | null
}

/** Stands in for the shopper's phone and mailbox, and for the carrier, for a developer on this machine. */
export const serveDevelopment = (server: FastifyInstance, options: DevelopmentOptions) => {
  serveCodes(server, options)
  serveCarrier(server, options)
  serveInbox(server, options)
}

const requireLocal = async (request: FastifyRequest) => {
  // The Host check stops DNS rebinding: a foreign page whose name resolves to this machine sends its own name.
  const isLocalHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')
  const isLocalAddress = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '')
  if (!isLocalHost || !isLocalAddress) throw fail('FORBIDDEN')
}
const local = { onRequest: requireLocal }

const serveCodes = (server: FastifyInstance, { codeFor }: DevelopmentOptions) => {
  server.get<{ Querystring: { phone?: string } }>('/dev/code', local, (request, reply) => {
    const code = codeFor?.(String(request.query.phone ?? ''))
    if (code === undefined) throw fail('NOT_FOUND', 'No code was sent to this phone.')
    return reply.header('cache-control', 'no-store').send({ code })
  })
}

const serveCarrier = (server: FastifyInstance, { services, store }: DevelopmentOptions) => {
  server.post<{ Body?: { orderId?: unknown } }>('/dev/delivery', local, async (request, reply) => {
    const orderId = request.body?.orderId
    if (typeof orderId !== 'string') throw fail('BAD_REQUEST', 'orderId is required.')
    await moveParcel(services, store.id, orderId)
    return reply.code(204).send()
  })
}

type MailRequest = { Params: { id: string } }

const serveInbox = (server: FastifyInstance, { mailFolder, apiUrl }: DevelopmentOptions) => {
  if (mailFolder === null) return
  const inbox = createInbox(mailFolder)
  const findMail = async (id: string) => {
    const mail = await inbox.find(id)
    if (mail === undefined) throw fail('NOT_FOUND', 'There is no such mail.')
    return mail
  }
  server.get('/dev/mail', local, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ mails: await inbox.list() }),
  )
  server.get<MailRequest>('/dev/mail/:id', local, async (request, reply) => {
    const { html: _html, ...mail } = await findMail(request.params.id)
    return reply.header('cache-control', 'no-store').send(mail)
  })
  server.get<MailRequest>('/dev/mail/:id/html', local, async (request, reply) => {
    const { html } = await findMail(request.params.id)
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': mailPolicy(apiUrl),
        'referrer-policy': 'no-referrer',
      })
      .send(html.replace('<head>', '<head><base target="_blank">'))
  })
}

/** A mail runs no scripts, as in every mail program, and its links open a new tab. Only the inbox may frame it. */
const mailPolicy = (apiUrl: string) =>
  [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data: https: ${apiUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
