import { fail } from '../../core/errors.ts'
import { docsPage, docsPolicy } from '../../http/docs.ts'
import { healthContract } from './health.contract.ts'
import { createHealthCheck, type HealthSources } from './health.ts'
import type { Metrics } from './metrics.ts'
import { monitoringRoutes } from './monitoring-door.ts'

export type HealthRouteOptions = {
  health: HealthSources
  metrics: Metrics
  describe: () => unknown
  describeAdmin: () => unknown
}

export const healthRoutes = (options: HealthRouteOptions) => {
  const checkHealth = createHealthCheck(options.health)
  return monitoringRoutes(healthContract, {
    health: async () => {
      const { healthy, report } = await checkHealth()
      if (!healthy) {
        throw fail('SERVICE_UNAVAILABLE', `The service is ${report.status}.`, { headers: { 'retry-after': '1' } })
      }
      return { body: report }
    },
    openapi: () => ({ body: options.describe() }),
    adminOpenapi: () => ({ body: options.describeAdmin() }),
    docs: () => ({ body: docsPage, headers: { 'content-security-policy': docsPolicy } }),
    metrics: async () => ({ body: await options.metrics.text() }),
  })
}
