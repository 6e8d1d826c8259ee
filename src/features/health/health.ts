import type { Db } from '../../db/database.ts'
import { pingDatabase } from './health.sql.ts'

export type HealthSources = {
  db: Db
  version: string
  startedAtMs: number
  listenerIsHealthy: () => boolean
  isDraining: () => boolean
}

/** The database must answer. A lost listener only makes answers slower, since nothing is remembered without it. */
export const checkHealth = async (sources: HealthSources) => {
  const database = await pingDatabase(sources.db).then(
    () => 'ok',
    () => 'unreachable',
  )
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
