import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/domain-errors.ts'
import { newId, randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Db } from '../../db/database.ts'
import { type Permission, permissions, permissionsOf } from '../access/admin.contract.ts'
import { recordChange } from '../audit/record.ts'
import type { Author, Store } from '../context.ts'
import { readRole, refuseBeyondOwn } from './members.ts'
import { insertToken, listTokens, lockTokens, revokeTokenRow, type TokenRow } from './tokens.sql.ts'

/** Of one store, without those that were revoked. */
export const maxTokens = 300

type OfStore = { store: Pick<Store, 'id'> }

/** Either a role, whose permissions the token gets, or the permissions themselves. */
export type NewToken = {
  name?: string
  role?: string
  permissions?: readonly string[]
  expiresAt?: Date | null
}

/** `mayGrant`: a token never gets a permission that its creator does not have. */
export const createToken = (
  { db, clock }: { db: Db; clock: Clock },
  { store }: OfStore,
  by: Author,
  wanted: NewToken,
  mayGrant: ReadonlySet<Permission> = new Set(permissions),
) => {
  const granted = readPermissions(wanted)
  refuseBeyondOwn(granted, mayGrant)
  const { expiresAt = null, name = '' } = wanted
  if (expiresAt !== null && expiresAt.getTime() <= clock.now()) throw refuse('EXPIRY_PAST', {})
  const token = `vat_${randomText(32)}`
  return db.tx(async (tx) => {
    // Tokens that are created at the same time are counted one after the other.
    await lockTokens(tx, store.id)
    const made = await insertToken(
      tx,
      store.id,
      {
        ...{ id: newId('tok'), name: name.trim(), permissions: granted, expiresAt, tokenHash: hashSecret(token) },
      },
      maxTokens,
    )
    if (made === undefined) throw refuse('TOKEN_LIMIT_REACHED', { maxTokens })
    recordChange(tx, store, by, {
      ...{ action: 'token.created', id: made.id },
      changes: { permissions: { before: null, after: granted }, name: { before: null, after: made.name } },
    })
    return { ...showToken(made), token }
  })
}

const readPermissions = ({ role, permissions: named }: NewToken): Permission[] => {
  if ((role === undefined) === (named === undefined)) throw refuse('TOKEN_RIGHTS_UNCLEAR', {})
  if (role !== undefined) return [...permissionsOf[readRole(role)]]
  return [...new Set(named)].map((name) => {
    const known = permissions.find((permission) => permission === name)
    if (known === undefined) throw refuse('PERMISSION_UNKNOWN', { permission: name, permissions })
    return known
  })
}

const showToken = ({ createdAt, expiresAt, usedAt, ...token }: TokenRow) => ({
  ...token,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  usedAt: usedAt?.toISOString() ?? null,
})

export const listTokensOf = async (db: Db, store: OfStore['store']) => (await listTokens(db, store.id)).map(showToken)

export const revokeToken = (db: Db, { store }: OfStore, by: Author, tokenId: string) =>
  db.tx(async (tx) => {
    const revoked = await revokeTokenRow(tx, store.id, tokenId)
    if (revoked === undefined) throw refuse('TOKEN_NOT_FOUND', { tokenId })
    recordChange(tx, store, by, { action: 'token.revoked', id: tokenId })
  })
