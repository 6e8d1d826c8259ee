import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

/** Deleting a cart deletes its lines (foreign key). */
export const expiredGuestCarts: Deletable = {
  table: sql`cart`,
  due: sql`t.sweep_on < vitrine_now()::date`,
  age: sql`t.sweep_on`,
  retention: sql`interval '1 day'`,
}
