import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '../../core/errors.ts'
import { equalSecrets } from '../../core/secrets.ts'
import { type Arrival, bindRoutes, type Door, type RequestContext } from '../../http/door.ts'
import { type MonitoringAccess, type MonitoringEndpoint, monitoring } from './monitoring.contract.ts'

export type MonitoringCtx = RequestContext & { mayReadMetrics: boolean }

export const monitoringRoutes = bindRoutes<'monitoring', Record<MonitoringAccess, MonitoringCtx>>()

export type MonitoringOptions = { metricsToken: string | null; production: boolean }

export const createMonitoringDoor = (options: MonitoringOptions): Door<MonitoringEndpoint> => {
  const authorize = (ctx: unknown, { access }: Pick<MonitoringEndpoint, 'access'>) => {
    if (access === 'metrics' && !(ctx as MonitoringCtx).mayReadMetrics) {
      throw fail('UNAUTHORIZED', 'Send the token of VITRINE_METRICS_TOKEN as Authorization: Bearer.')
    }
  }
  return {
    family: monitoring,
    authorize,
    admit: ({ route, headers, peer }) => {
      const ctx = { cacheStore: 0, cacheScope: 0, mayReadMetrics: mayReadMetrics(headers, peer, options) }
      authorize(ctx, route.endpoint)
      return ctx
    },
  }
}

/** In production a local address may be that of a proxy, which forwards anyone's requests, so the token is required. */
const mayReadMetrics = (
  headers: IncomingHttpHeaders,
  { remoteAddress = '' }: Arrival['peer'],
  { metricsToken, production }: MonitoringOptions,
) => {
  const [, given] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
  if (metricsToken !== null && given !== undefined && equalSecrets(given, metricsToken)) return true
  const isProxied = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !production && !isProxied && (remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress))
}
