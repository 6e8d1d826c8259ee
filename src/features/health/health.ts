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
 * The database must answer. A lost listener only makes answers slower, since nothing is cached without it. Checks that
 * arrive together share one look at the database: anyone may ask, and a flood must not delay the operator's own check.
 */
export const createHealthCheck = (sources: HealthSources) => {
  let looking: Promise<'ok' | 'unreachable'> | undefined
  const look = () => {
    looking ??= pingDatabase(sources.db)
      .then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      )
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  return async () => describeHealth(sources, await look())
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
