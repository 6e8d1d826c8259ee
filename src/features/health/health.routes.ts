import { fail } from '../../core/errors.ts'
import { equalSecrets } from '../../core/secrets.ts'
import { docsPage, docsPolicy } from '../../http/docs.ts'
import { type PublicCtx, routes } from '../context.ts'
import { healthContract } from './health.contract.ts'
import { createHealthCheck, type HealthSources } from './health.ts'
import type { Metrics } from './metrics.ts'

export type HealthRouteOptions = {
  health: HealthSources
  metrics: Metrics
  metricsToken: string | null
  production: boolean
  description: unknown
}

export const healthRoutes = (options: HealthRouteOptions) => {
  const checkHealth = createHealthCheck(options.health)
  return routes(healthContract, {
    health: async () => {
      const { healthy, report } = await checkHealth()
      if (!healthy) {
        throw fail('SERVICE_UNAVAILABLE', `The service is ${report.status}.`, { headers: { 'retry-after': '1' } })
      }
      return { body: report }
    },
    openapi: () => ({ body: options.description }),
    docs: () => ({ body: docsPage, headers: { 'content-security-policy': docsPolicy } }),
    metrics: async ({ ctx }) => {
      if (!mayReadMetrics(ctx, options)) {
        throw fail('UNAUTHORIZED', 'Send the token of VITRINE_METRICS_TOKEN as Authorization: Bearer.')
      }
      return { body: await options.metrics.text() }
    },
  })
}

/**
 * Whoever has the token. Outside production this machine itself too; in production a proxy on it may speak for anyone
 * without saying so.
 */
const mayReadMetrics = (
  { remoteAddress, headers }: PublicCtx,
  { metricsToken: token, production }: Pick<HealthRouteOptions, 'metricsToken' | 'production'>,
) => {
  const [, given] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (token !== null && given !== undefined && equalSecrets(given, token)) return true
  const proxied = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !production && !proxied && (remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress))
}
