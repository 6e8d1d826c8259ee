import type { IncomingHttpHeaders } from 'node:http'
import { inspectText } from '../../http/body.ts'
import { type Arrival, bindRoutes, type Door, type RequestContext, type Route } from '../../http/door.ts'
import type { Handlers } from '../../http/endpoint.ts'
import type { Services } from '../context.ts'
import { type WebhookEndpoint, webhooks } from './webhook.contract.ts'

/** A report as it arrives, before anything of its body is parsed. */
export type WebhookArrival = Pick<Arrival, 'headers' | 'params'> & {
  /** The bytes that a signature was made of. A caller refused before this is called has its body left unread. */
  readBody(): Promise<Buffer>
  /** Bounds how often one client may try: `find` answers undefined where credentials are wrong. */
  lookUp<Found>(find: () => Promise<Found | undefined>): Promise<Found | undefined>
}

/** Throws UNAUTHORIZED, and says nothing more, for a caller that does not prove itself. */
export type Authenticate<Caller extends object> = (arrival: WebhookArrival) => Promise<Caller>

export type WebhookCtx<Caller extends object> = Caller &
  RequestContext & { headers: IncomingHttpHeaders; rawBody: Buffer }

/** The routes of providers that prove themselves in one way. */
export const webhookRoutes = <const C extends Record<string, WebhookEndpoint>, Caller extends object>(
  { boundLookup }: Pick<Services, 'boundLookup'>,
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
        lookUp: (find) => boundLookup(`webhook ${clientAddress}`, find),
      }),
  }))
}

export const webhookDoor: Door = {
  family: webhooks,
  admit: async (arrival) => {
    const { route, headers, params } = arrival
    if (route.authenticate === undefined) throw new Error(`${route.name} has no way to authenticate`)
    for (const value of Object.values(params)) inspectText(value)
    const caller = await route.authenticate(arrival)
    return { ...caller, headers, rawBody: await arrival.readBody(), cacheStore: 0, cacheScope: 0 }
  },
  // Only `admit` makes such a context, or a program that has authenticated the caller itself.
  authorise: (ctx, endpoint) => {
    if (typeof ctx !== 'object' || ctx === null || !('rawBody' in ctx)) {
      throw new Error(`${endpoint.path} was called without the context of a webhook`)
    }
  },
}
