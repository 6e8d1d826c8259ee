import { hours } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { randomText } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { limitRate } from '../access/rate-limit.ts'
import { recordChange } from '../audit/record.ts'
import type { AdminPublicCtx, Author, Services, StaffCtx, StoreId } from '../context.ts'
import { mailSealContext, queueMail } from '../events/record.ts'
import { hashingClient } from './attempts.ts'
import { checkOwnPassword, recordForAllStores, requireCode } from './second-factor.ts'
import { deleteStaffSessions } from './sessions.sql.ts'
import { authorOf, openStaffSession } from './sessions.ts'
import { clearStaffFailures } from './sign-in.sql.ts'
import { normaliseStaffEmail } from './sign-in.ts'
import {
  consumeLink,
  deleteLinks,
  findFirstStoreOf,
  findLinkOwner,
  findStaff,
  findStaffByEmail,
  insertLink,
  type LinkKind,
  listStoresOf,
  lockStaff,
  type StaffRow,
  updateStaffPassword,
} from './staff.sql.ts'

export const linkTtlMs = hours(24)

type LinkServices = Pick<Services, 'mailSeal' | 'publicUrl' | 'mail'>

/** A link that sets the password of a person, or signs in, once. Earlier links end. Returns its token. */
export const makeStaffLink = async (tx: Tx, staffId: string, kind: LinkKind = 'password'): Promise<string> => {
  const token = `stl_${randomText(32)}`
  await deleteLinks(tx, staffId)
  await insertLink(tx, staffId, kind, hashSecret(token), linkTtlMs)
  return token
}

export const linkAddress = ({ publicUrl }: Pick<Services, 'publicUrl'>, token: string) =>
  `${publicUrl}/admin/set-password?token=${token}`

/** Sends a link by mail, from a store that the person works for. */
export const mailLink = async (
  tx: Tx,
  { mailSeal }: Pick<LinkServices, 'mailSeal'>,
  store: { id: StoreId },
  { message, email, name, token, invitedBy = '' }: StaffMail,
) => {
  const sealed = mailSeal.seal(token, mailSealContext(store, email))
  await queueMail(tx, store, { message, recipient: email, language: null, data: { name, invitedBy }, sealed })
}

type StaffMail = {
  message: 'staff.invitation' | 'staff.reset'
  email: string
  name: string
  token: string
  invitedBy?: string
}

const perHour = { windowMs: hours(1), text: 'Rate limit exceeded: too many links were requested. Try again later.' }

/** Counts the request. What follows depends on the email, so the caller answers before `sendResetLink`. */
export const limitForgotten = async (ctx: AdminPublicCtx, { email }: { email: string }) => {
  const everywhere = { counter: ctx.counter, clock: ctx.clock, store: { id: 0 } }
  await limitRate(everywhere, ctx.clientAddress, { action: 'staff-forgot-client', max: 100, ...perHour })
  await limitRate(everywhere, normaliseStaffEmail(email), { action: 'staff-forgot', max: 5, ...perHour })
}

export const sendResetLink = async (ctx: AdminPublicCtx, { email }: { email: string }) => {
  const found = await findStaffByEmail(ctx.db, normaliseStaffEmail(email))
  if (found === undefined) return
  await ctx.db.tx(async (tx) => {
    const row = await lockStaff(tx, found.id)
    const store = await findFirstStoreOf(tx, found.id)
    if (row === undefined || store === undefined) return
    const token = await makeStaffLink(tx, row.id)
    await mailLink(tx, ctx, store, { message: 'staff.reset', ...row, token })
  })
}

const deadLink = () => fail('GONE', 'This link is not valid: it has expired or was used. Ask for a new one.')

/** Sets the password with the token of a link, ends all sessions, and signs in. The second factor stays. */
export const setPassword = async (
  ctx: AdminPublicCtx,
  { token, password, code }: { token: string; password: string; code?: string },
) => {
  const tokenHash = hashSecret(token)
  const owner = await ctx.limitLookups(`staff link ${ctx.clientAddress}`, () =>
    findLinkOwner(ctx.db, 'password', tokenHash),
  )
  const known = owner && (await findStaff(ctx.db, owner.staffId))
  if (known === undefined) throw deadLink()
  await requireCode(ctx, known, code)
  const passwordHash = await ctx.passwords.runQueued(hashingClient(ctx), ({ hash }) => hash(password))
  return ctx.db.tx(async (tx) => {
    const row = mustExist(await lockStaff(tx, known.id), `staff ${known.id}`)
    if ((await consumeLink(tx, 'password', tokenHash)) === 0) throw deadLink()
    await deleteLinks(tx, row.id)
    await changePasswordOf(tx, row, passwordHash, null)
    for (const { storeNumber } of await listStoresOf(tx, row.id)) {
      recordPassword(tx, storeNumber, authorOf(row, ctx), row.id)
    }
    return openStaffSession(tx, ctx, { ...row, passwordHash })
  })
}

/** Signs in with the token of a link. With a second factor, the code is required too. */
export const signInByLink = async (ctx: AdminPublicCtx, { token, code }: { token: string; code?: string }) => {
  const tokenHash = hashSecret(token)
  const find = () => findLinkOwner(ctx.db, 'sign_in', tokenHash)
  const owner = await ctx.limitLookups(`staff link ${ctx.clientAddress}`, find)
  const known = owner && (await findStaff(ctx.db, owner.staffId))
  if (known === undefined) throw deadLink()
  await requireCode(ctx, known, code)
  return ctx.db.tx(async (tx) => {
    const row = mustExist(await lockStaff(tx, known.id), `staff ${known.id}`)
    if ((await consumeLink(tx, 'sign_in', tokenHash)) === 0) throw deadLink()
    return openStaffSession(tx, ctx, row)
  })
}

/** Ends all sessions except `keptSession`, and clears what was counted against the person. */
const changePasswordOf = async (tx: Tx, row: StaffRow, passwordHash: string, keptSession: string | null) => {
  await updateStaffPassword(tx, row.id, passwordHash)
  await deleteStaffSessions(tx, row.id, keptSession)
  for (const who of [row.email, `password ${row.id}`]) await clearStaffFailures(tx, who)
}

const recordPassword = (tx: Tx, storeId: StoreId, by: Author, id: string) =>
  recordChange(tx, { id: storeId }, by, { action: 'staff.password_changed', id })

export const changeOwnPassword = async (
  ctx: StaffCtx,
  { currentPassword, password }: { currentPassword: string; password: string },
) => {
  await checkOwnPassword(ctx, currentPassword)
  const passwordHash = await ctx.passwords.runQueued(hashingClient(ctx), ({ hash }) => hash(password))
  await ctx.db.tx(async (tx) => {
    const row = mustExist(await lockStaff(tx, ctx.staff.id), `staff ${ctx.staff.id}`)
    await changePasswordOf(tx, row, passwordHash, ctx.sessionHash)
    await deleteLinks(tx, row.id)
    await recordForAllStores(tx, ctx, 'staff.password_changed')
  })
}
