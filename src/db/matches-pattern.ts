import { type Fragment, sql } from './sql.ts'

/** Whether a text matches the pattern, which is for lower case. Not true for null. */
export const matchesPattern = (text: Fragment, pattern: string | null): Fragment =>
  sql`coalesce(lower(${text}) ~ ${pattern}::text, false)`
