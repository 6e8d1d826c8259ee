import { type Endpoint, endpointOf, type Family } from '../../http/endpoint.ts'

/** `metrics`: callers with the token that the operator has set, and this machine itself outside production. */
export type OperationsAccess = 'public' | 'metrics'
export type OperationsRights = { access: OperationsAccess }
export type OperationsEndpoint = Endpoint & OperationsRights & { family: Family<'operations'> }

/** What operators and their tools ask: health, metrics, the description of the API. */
export const operations: Family<'operations'> = {
  name: 'operations',
  securitySchemes: {
    metricsToken: { type: 'http', scheme: 'bearer', description: 'The token that the operator has set' },
  },
  parameters: {},
  headers: {},
  describe: ({ access }) => ({
    security: access === 'metrics' ? [{}, { metricsToken: [] }] : [],
    parameters: [],
    headers: [],
    codes: access === 'metrics' ? ['UNAUTHORIZED'] : [],
  }),
}

export const endpoint = endpointOf<OperationsRights>()(operations)
