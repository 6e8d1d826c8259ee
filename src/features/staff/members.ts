import { hours } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { newId } from '../../core/ids.ts'
import { isMailAddress } from '../../core/mail-address.ts'
import type { Db, Tx } from '../../db/database.ts'
import { type Permission, permissions, permissionsOf, roles, type StaffRole } from '../access/admin.contract.ts'
import { limitRate } from '../access/rate-limit.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Services, Store } from '../context.ts'
import { linkAddress, mailLink, makeStaffLink } from './links.ts'
import { normaliseStaffEmail } from './sign-in.ts'
import {
  deleteRole,
  insertRole,
  insertStaff,
  listMembers,
  listStoresOf,
  lockRoles,
  lockStaff,
  type Member,
  updateRole,
} from './staff.sql.ts'

type StaffServices = { db: Db } & Pick<Services, 'publicUrl' | 'mailSeal' | 'mail'>
type OfStore = { store: Pick<Store, 'id' | 'publicId'> }

export type NewMember = { email: string; role: string; name?: string }

/** `link` sets the password of a new person. Null if the person has a password, and if the link was sent by mail. */
export type AddedMember = { staffId: string; link: string | null }

/**
 * Whoever sees a link can use it, and the account that it opens may get roles at other stores later. So an owner does not
 * see it where the service can send it: only the person with that address does. The operator of the service may.
 */
const isShown = ({ mail }: StaffServices, { actor }: Author) => actor.kind === 'command' || mail === null

type MayGrant = ReadonlySet<Permission>
const everything: MayGrant = new Set(permissions)

/** An owner can name any address, which then gets mail from this service. */
export const limitInvitations = (ctx: Pick<Services, 'counter' | 'clock'> & OfStore) =>
  limitRate(ctx, 'store', {
    ...{ action: 'staff-invite', max: 50, windowMs: hours(1) },
    text: 'Rate limit exceeded: a store can invite 50 people in an hour. Try again later.',
  })

/** Adds a person to the staff of a store. `mayGrant`: a person never gets a permission that the author does not have. */
export const addMember = (
  services: StaffServices,
  { store }: OfStore,
  by: Author,
  { email: typed, role, name = '' }: NewMember,
  mayGrant = everything,
): Promise<AddedMember> => {
  const email = readStaffEmail(typed)
  const checkedRole = readRole(role)
  refuseBeyondOwn(permissionsOf[checkedRole], mayGrant)
  return services.db.tx(async (tx) => {
    const made = await insertStaff(tx, { id: newId('stf'), email, name: name.trim() })
    // Locked, so that of two invitations at once the second makes the link that works.
    const row = (await lockStaff(tx, made.id)) ?? made
    const stores = await listStoresOf(tx, row.id)
    // Without mail nobody has proved the address, so the account may belong to another person.
    if (by.actor.kind !== 'command' && services.mail === null && stores.some(({ id }) => id !== store.publicId)) {
      throw refuse('STAFF_ELSEWHERE', { email })
    }
    if ((await insertRole(tx, store.id, row.id, checkedRole)) === undefined) {
      throw refuse('STAFF_EXISTS', { email })
    }
    recordChange(tx, store, by, {
      ...{ action: 'staff.created', id: row.id },
      changes: { email: { before: null, after: email }, role: { before: null, after: checkedRole } },
    })
    const link = row.passwordHash === null ? await invite(tx, services, store, by, row) : null
    return { staffId: row.id, link }
  })
}

export const refuseBeyondOwn = (granted: readonly Permission[], mayGrant: MayGrant) => {
  const refused = granted.find((permission) => !mayGrant.has(permission))
  if (refused !== undefined) throw refuse('PERMISSION_NOT_OWN', { permission: refused })
}

const invite = async (
  tx: Tx,
  services: StaffServices,
  store: OfStore['store'],
  by: Author,
  row: { id: string; email: string; name: string },
) => {
  const token = await makeStaffLink(tx, row.id)
  if (isShown(services, by)) return linkAddress(services, token)
  const { name: invitedBy } = by.actor
  await mailLink(tx, services, store, { message: 'staff.invitation', ...row, token, invitedBy })
  return null
}

/** A new link for a staff member without a password. Who sees it has the role, so it counts as granted again. */
export const inviteAgain = (
  services: StaffServices,
  { store }: OfStore,
  by: Author,
  staffId: string,
  mayGrant = everything,
) =>
  services.db.tx(async (tx): Promise<AddedMember> => {
    const member = await readMember(tx, store, staffId)
    refuseBeyondOwn(permissionsOf[member.role], mayGrant)
    const row = await lockStaff(tx, staffId)
    if (row === undefined || row.passwordHash !== null) throw refuse('STAFF_HAS_PASSWORD', { email: member.email })
    recordChange(tx, store, by, { action: 'staff.invited', id: staffId })
    return { staffId, link: await invite(tx, services, store, by, row) }
  })

export const listStaff = async (db: Db, store: OfStore['store']) => (await listMembers(db, store.id)).map(showMember)

const showMember = ({ hasPassword, hasSecondFactor, usedAt, createdAt, ...member }: Member) => ({
  ...member,
  status: hasPassword ? ('active' as const) : ('invited' as const),
  secondFactor: hasSecondFactor,
  usedAt: usedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})

const readMember = async (tx: Tx, store: OfStore['store'], staffId: string) => {
  const [member] = await listMembers(tx, store.id, staffId)
  if (member === undefined) throw refuse('STAFF_NOT_FOUND', { staffId })
  return member
}

export const changeRole = (
  db: Db,
  { store }: OfStore,
  by: Author,
  staffId: string,
  role: string,
  mayGrant = everything,
) =>
  db.tx(async (tx) => {
    const checkedRole = readRole(role)
    refuseBeyondOwn(permissionsOf[checkedRole], mayGrant)
    const before = await lockMember(tx, store, staffId, checkedRole)
    refuseBeyondOwn(permissionsOf[before], mayGrant)
    if (before !== checkedRole) {
      await updateRole(tx, store.id, staffId, checkedRole)
      recordChange(tx, store, by, {
        ...{ action: 'staff.updated', id: staffId },
        changes: { role: { before, after: checkedRole } },
      })
    }
    return showMember(await readMember(tx, store, staffId))
  })

/** The person keeps the account, and the roles at other stores. */
export const removeMember = (db: Db, { store }: OfStore, by: Author, staffId: string, mayGrant = everything) =>
  db.tx(async (tx) => {
    const before = await lockMember(tx, store, staffId, null)
    refuseBeyondOwn(permissionsOf[before], mayGrant)
    await deleteRole(tx, store.id, staffId)
    const changes = { role: { before, after: null } }
    recordChange(tx, store, by, { action: 'staff.removed', id: staffId, changes })
  })

/** Returns the role before. Refuses to leave the store without an owner. */
const lockMember = async (
  tx: Tx,
  store: OfStore['store'],
  staffId: string,
  role: StaffRole | null,
): Promise<StaffRole> => {
  const members = await lockRoles(tx, store.id)
  const before = members.find((member) => member.staffId === staffId)?.role
  if (before === undefined) throw refuse('STAFF_NOT_FOUND', { staffId })
  const otherOwners = members.filter((member) => member.role === 'owner' && member.staffId !== staffId)
  if (before === 'owner' && role !== 'owner' && otherOwners.length === 0) throw refuse('LAST_OWNER', {})
  return before
}

const readStaffEmail = (typed: string) => {
  const email = normaliseStaffEmail(typed)
  if (!isMailAddress(email)) throw refuse('MAIL_ADDRESS_INVALID', { address: typed })
  return email
}

export const readRole = (role: string): StaffRole => {
  const known = roles.find((name) => name === role)
  if (known === undefined) throw refuse('ROLE_UNKNOWN', { role, roles })
  return known
}
