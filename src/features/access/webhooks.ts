import type { IncomingHttpHeaders } from 'node:http'
import { inspectText } from '../../http/body.ts'
import { type Arrival, bindRoutes, type Door, type RequestContext, type Route } from '../../http/door.ts'
import type { Handlers } from '../../http/endpoint.ts'
import type { Services } from '../context.ts'
import { type WebhookEndpoint, webhooks } from './webhook.contract.ts'

/** A webhook call before its body is parsed. */
export type WebhookArrival = Pick<Arrival, 'headers' | 'params'> & {
  /** The raw body that the signature covers. It stays unread if the caller is refused before. */
  readBody(): Promise<Buffer>
  /**
   * Limits failed attempts per client and subject, which is the store or the key that the caller names. `find` returns
   * undefined when the credentials are wrong.
   */
  lookUp<Found>(subject: string, find: () => Promise<Found | undefined>): Promise<Found | undefined>
}

/** Throws UNAUTHORIZED without details when the caller cannot be authenticated. */
export type Authenticate<Caller extends object> = (arrival: WebhookArrival) => Promise<Caller>

export type WebhookCtx<Caller extends object> = Caller &
  RequestContext & { headers: IncomingHttpHeaders; rawBody: Buffer }

/** The routes of providers that share one authentication method. */
export const webhookRoutes = <const C extends Record<string, WebhookEndpoint>, Caller extends object>(
  { limitSubjects }: Pick<Services, 'limitSubjects'>,
  contract: C,
  authenticate: Authenticate<Caller>,
  handlers: Handlers<C, { provider: WebhookCtx<Caller> }>,
): Route[] => {
  const bind = bindRoutes<'webhook', { provider: WebhookCtx<Caller> }>()
  return bind(contract, handlers).map((route) => ({
    ...route,
    authenticate: ({ headers, params, clientAddress, readBody }) =>
      authenticate({
        headers,
        params,
        readBody,
        lookUp: (subject, find) => limitSubjects(`webhook ${clientAddress}`, subject, find),
      }),
  }))
}

export const webhookDoor: Door = {
  family: webhooks,
  admit: async (arrival) => {
    const { route, headers, params } = arrival
    if (route.authenticate === undefined) throw new Error(`${route.name} has no authenticate function`)
    for (const value of Object.values(params)) inspectText(value)
    const caller = await route.authenticate(arrival)
    return { ...caller, headers, rawBody: await arrival.readBody(), cacheStore: 0, cacheScope: 0 }
  },
  // Only `admit` creates such a context, or a program that authenticated the caller itself.
  authorize: (ctx, endpoint) => {
    if (typeof ctx !== 'object' || ctx === null || !('rawBody' in ctx)) {
      throw new Error(`${endpoint.path} needs the context of a webhook`)
    }
  },
}
