import type { FastifyInstance } from 'fastify'
import { fail } from '../../core/errors.ts'
import type { PaymentServices } from './providers.ts'
import { type Choice, choices, choosePayment, findSandboxPayment } from './sandbox.ts'
import { pageHeaders, sandboxPage } from './sandbox-page.ts'

/** The page on which a developer chooses how a payment ends. The only route that accepts form bodies. */
export const registerSandboxPage = (server: FastifyInstance, services: PaymentServices) =>
  server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 1_024 },
      (_request, body, parsed) => parsed(null, Object.fromEntries(new URLSearchParams(body as string))),
    )
    scope.get<{ Params: { token: string } }>('/sandbox/pay/:token', async (request, reply) => {
      const shown = await findSandboxPayment(services, request.params.token)
      return reply.headers(pageHeaders(shown)).type('text/html; charset=utf-8').send(sandboxPage(shown))
    })
    scope.post<{ Params: { token: string }; Body: { choice?: unknown } | undefined }>(
      '/sandbox/pay/:token',
      async (request, reply) => {
        const shown = await findSandboxPayment(services, request.params.token)
        const choice = request.body?.choice as Choice
        if (!choices.includes(choice)) throw fail('BAD_REQUEST', `choice must be one of ${choices.join(', ')}.`)
        await choosePayment(shown, choice)
        // A late choice has no effect, and the callback shows the actual status.
        const back = `/payment/callback?orderId=${encodeURIComponent(shown.order.id)}`
        return reply.code(303).headers({ location: back, 'cache-control': 'no-store' }).send()
      },
    )
    done()
  })
