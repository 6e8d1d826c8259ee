import type { Db } from '../../db/database.ts'
import { pingDatabase } from './health.sql.ts'

export type HealthSources = {
  db: Db
  version: string
  startedAtMs: number
  listenerIsHealthy: () => boolean
  isDraining: () => boolean
}

/**
 * The database must answer. A lost listener only slows the service down, since nothing is cached without it. Concurrent
 * checks share one ping: the endpoint is public, and a flood of requests must not delay the operator's own check.
 */
export const createHealthCheck = (sources: HealthSources) => {
  let pinging: Promise<'ok' | 'unreachable'> | undefined
  const ping = () => {
    pinging ??= pingDatabase(sources.db)
      .then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      )
      .finally(() => {
        pinging = undefined
      })
    return pinging
  }
  return async () => describeHealth(sources, await ping())
}

const describeHealth = (sources: HealthSources, database: 'ok' | 'unreachable') => {
  const healthy = database === 'ok' && !sources.isDraining()
  return {
    healthy,
    report: {
      status: healthy ? 'ok' : sources.isDraining() ? 'stopping' : 'unavailable',
      version: sources.version,
      uptime: Math.round((Date.now() - sources.startedAtMs) / 100) / 10,
      checks: { database, listener: sources.listenerIsHealthy() ? 'ok' : 'reconnecting' },
    },
  }
}
