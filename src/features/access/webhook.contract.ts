import { type Endpoint, endpointOf, type Family } from '../../http/endpoint.ts'

/** An external provider, authenticated by headers or by a signature of the raw body. */
export type WebhookRights = { access: 'provider'; method: 'POST'; path: `/webhook/${string}` }
export type WebhookEndpoint = Endpoint & WebhookRights & { family: Family<'webhook'> }

/** Endpoints for providers. The caller is authenticated before its body is parsed. */
export const webhooks: Family<'webhook'> = {
  name: 'webhook',
  readsRawBody: true,
  securitySchemes: {},
  parameters: {},
  headers: {},
  describe: () => ({
    security: [],
    parameters: [],
    headers: [],
    codes: ['UNAUTHORIZED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'],
  }),
}

export const webhookEndpoint = endpointOf<WebhookRights>()(webhooks)
