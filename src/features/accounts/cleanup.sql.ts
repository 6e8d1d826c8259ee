import type { Deletable } from '../../db/due-rows.sql.ts'
import { sql } from '../../db/sql.ts'

const noRetention = sql`interval '0'`

export const expiredSessions: Deletable = {
  table: sql`session`,
  due: sql`t.expires_at <= vitrine_now()`,
  age: sql`t.expires_at`,
  retention: noRetention,
}

export const expiredMailTokens: Deletable = {
  table: sql`mail_token`,
  due: sql`t.expires_at <= vitrine_now()`,
  age: sql`t.expires_at`,
  retention: noRetention,
}

const byForgetAt = { due: sql`t.forget_at <= vitrine_now()`, age: sql`t.forget_at`, retention: noRetention }

export const oldCodes: Deletable = { table: sql`one_time_code`, ...byForgetAt }
export const oldCodeRequests: Deletable = { table: sql`otp_request`, ...byForgetAt }
export const oldSignInFailures: Deletable = { table: sql`sign_in_failure`, ...byForgetAt }

export const oldCodeCounts: Deletable = {
  table: sql`otp_hour`,
  due: sql`t.hour < vitrine_now() - interval '2 days'`,
  age: sql`t.hour`,
  retention: sql`interval '2 days'`,
}
