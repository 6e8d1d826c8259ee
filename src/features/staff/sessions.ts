import { hours } from '../../core/clock.ts'
import { newId, randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { permissionsOf, sessionCookie } from '../access/admin.contract.ts'
import { recordChange } from '../audit/record.ts'
import type { AdminPublicCtx, Author, StaffCtx, StaffMember } from '../context.ts'
import {
  deleteOldestSessions,
  deleteStaffSession,
  insertStaffSession,
  listStaffSessions,
  renewStaffSession,
} from './sessions.sql.ts'
import { listStoresOf, type StaffRow, type StoreOfStaff } from './staff.sql.ts'

export const staffSessionTtlMs = hours(12)

/** Of one person. More devices than anyone has, and few enough to list. */
export const maxStaffSessions = 50

/** `null` removes the cookie. */
export const writeCookie = (token: string | null, isSecure: boolean) =>
  [
    `${sessionCookie}=${token ?? ''}`,
    'Path=/admin',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${token === null ? 0 : staffSessionTtlMs / 1000}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')

export const readCookie = (header: string | undefined): string | undefined =>
  header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${sessionCookie}=`))
    ?.slice(sessionCookie.length + 1)

/** What the author of a person's own changes is. */
export const authorOf = (
  staff: { id: string; name: string; email: string },
  { clientAddress, requestId }: Pick<AdminPublicCtx, 'clientAddress' | 'requestId'>,
): Author => ({
  actor: { kind: 'staff', id: staff.id, name: staff.name || staff.email },
  clientAddress,
  requestId,
})

const toStaff = (row: StaffRow): StaffMember => ({
  ...{ id: row.id, email: row.email, name: row.name },
  hasSecondFactor: row.secondFactorAt !== null,
})

export type OpenedStaffSession = { token: string; shown: ShownSession }

/** The token is returned only here. The database stores its hash. */
export const openStaffSession = async (tx: Tx, ctx: AdminPublicCtx, row: StaffRow): Promise<OpenedStaffSession> => {
  const token = `sst_${randomText(32)}`
  const { expiresAt } = await insertStaffSession(tx, {
    ...{ id: newId('sss', ctx.clock.now()), tokenHash: hashSecret(token), staffId: row.id },
    ...{ clientAddress: ctx.clientAddress, userAgent: ctx.userAgent.slice(0, 300), ttlMs: staffSessionTtlMs },
  })
  await deleteOldestSessions(tx, row.id, maxStaffSessions)
  const stores = await listStoresOf(tx, row.id)
  for (const { storeNumber } of stores) {
    recordChange(tx, { id: storeNumber }, authorOf(row, ctx), { action: 'session.opened', id: row.id })
  }
  return { token, shown: showSession(toStaff(row), stores, expiresAt) }
}

type ShownSession = ReturnType<typeof showSession>

const showSession = ({ hasSecondFactor, ...staff }: StaffMember, stores: readonly StoreOfStaff[], expiresAt: Date) => ({
  staff: { ...staff, secondFactor: hasSecondFactor },
  stores: stores.map(({ storeNumber: _, ...store }) => ({ ...store, permissions: [...permissionsOf[store.role]] })),
  expiresAt: expiresAt.toISOString(),
})

export const readOwnSession = async ({ db, staff, sessionExpiresAt }: StaffCtx) =>
  showSession(staff, await listStoresOf(db, staff.id), sessionExpiresAt)

export const renewSession = (db: StaffCtx['db'], sessionHash: string) =>
  renewStaffSession(db, sessionHash, staffSessionTtlMs)

export const signOutStaff = async ({ db, sessionHash }: StaffCtx) => {
  await deleteStaffSession(db, sessionHash)
}

export const listOwnSessions = async ({ db, staff, sessionHash }: StaffCtx) =>
  (await listStaffSessions(db, staff.id, sessionHash)).map(({ isCurrent, ...session }) => ({
    ...session,
    createdAt: session.createdAt.toISOString(),
    usedAt: session.usedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    current: isCurrent,
  }))
