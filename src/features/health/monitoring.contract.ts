import { type Endpoint, endpointOf, type Family } from '../../http/endpoint.ts'

/** `metrics`: callers with the token that the operator has set, and this machine itself outside production. */
export type MonitoringAccess = 'public' | 'metrics'
export type MonitoringRights = { access: MonitoringAccess }
export type MonitoringEndpoint = Endpoint & MonitoringRights & { family: Family<'monitoring'> }

/** Endpoints for operators and their tools: health, metrics, API description. */
export const monitoring: Family<'monitoring'> = {
  name: 'monitoring',
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

export const monitoringEndpoint = endpointOf<MonitoringRights>()(monitoring)
