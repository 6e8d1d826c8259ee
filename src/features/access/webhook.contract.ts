import { type Endpoint, endpointOf, type Family } from '../../http/endpoint.ts'

/** A provider outside, which proves itself by headers or by a signature over the bytes of the body. */
export type WebhookRights = { access: 'provider'; method: 'POST'; path: `/webhook/${string}` }
export type WebhookEndpoint = Endpoint & WebhookRights & { family: Family<'webhook'> }

/** Where providers report. A caller is authenticated before its body is parsed. */
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
