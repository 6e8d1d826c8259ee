import pg from 'pg'
import type { Clock } from '../core/clock.ts'

/** Parses bigint to a number: all counts and minor units stay far below 2^53. */
export const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/**
 * Tests move time; in production the offset is always zero. A setting of each transaction and not of the connection,
 * because other servers of a distributed database get only those.
 */
export const clockSetting = (clock: Clock) => {
  const offset = clock.offsetMs()
  return offset === 0 ? [] : [`set local vitrine.clock_offset = '${offset} milliseconds'`]
}
