import { type Endpoint, endpointOf, type Family } from '../../http/endpoint.ts'

/** `metrics`: callers with the metrics token, and local callers outside production. */
export type MonitoringAccess = 'public' | 'metrics'
export type MonitoringRights = { access: MonitoringAccess }
export type MonitoringEndpoint = Endpoint & MonitoringRights & { family: Family<'monitoring'> }

/** Endpoints for operators and their tools: health, metrics, the description of the API. */
export const monitoring: Family<'monitoring'> = {
  name: 'monitoring',
  // A load balancer that takes a busy instance out leaves its calls to the others, which are then busier still.
  answersUnderLoad: true,
  securitySchemes: {
    metricsToken: { type: 'http', scheme: 'bearer', description: 'The token of `VITRINE_METRICS_TOKEN`' },
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
