import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

/** The lines of a cart are deleted with it. */
export const expiredGuestCarts: Deletable = {
  table: sql`cart`,
  due: sql`t.sweep_on < vitrine_now()::date`,
  age: sql`t.sweep_on`,
  keep: sql`interval '1 day'`,
}
