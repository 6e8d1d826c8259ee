import pg from 'pg'
import type { Clock } from '../core/clock.ts'

/** Parses bigint to a number: all counts and minor units stay far below 2^53. */
export const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Buffers writes to a connection until the next tick, so that statements sent in one go leave in one packet. */
export const gather = (client: pg.PoolClient) => {
  if (gathering.has(client)) return
  gathering.add(client)
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

const gathering = new WeakSet<pg.PoolClient>()

/**
 * Tests move time; in production the offset is always zero. A setting of each transaction and not of the connection,
 * because other servers of a distributed database get only those.
 */
export const clockSetting = (clock: Clock) => {
  const offset = clock.offsetMs()
  return offset === 0 ? '' : `; set local vitrine.clock_offset = '${offset} milliseconds'`
}
