import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

const atOnce = sql`interval '0'`

export const expiredSessions: Deletable = {
  table: sql`session`,
  due: sql`t.expires_at <= vitrine_now()`,
  age: sql`t.expires_at`,
  keep: atOnce,
}

const forgotten = { due: sql`t.forget_at <= vitrine_now()`, age: sql`t.forget_at`, keep: atOnce }

export const oldCodes: Deletable = { table: sql`one_time_code`, ...forgotten }
export const oldCodeRequests: Deletable = { table: sql`otp_request`, ...forgotten }
export const oldSignInFailures: Deletable = { table: sql`sign_in_failure`, ...forgotten }

export const oldCodeCounts: Deletable = {
  table: sql`otp_hour`,
  due: sql`t.hour < vitrine_now() - interval '2 days'`,
  age: sql`t.hour`,
  keep: sql`interval '2 days'`,
}
