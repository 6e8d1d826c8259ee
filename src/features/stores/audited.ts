import { refuse } from '../../core/domain-errors.ts'
import { announceStore } from '../../db/announce.ts'
import type { Queries, Tx } from '../../db/database.ts'
import { type Scope, scopes } from '../access/storefront.contract.ts'
import { compareFields, recordChange } from '../audit/record.ts'
import type { Author, Store, StoreId } from '../context.ts'
import { findKeyById, type KeyListing, listKeys, updateKey } from './stores.sql.ts'
import { allowOrigin, createKey, type KeyRequest, listOrigins, removeOrigin, revokeKey } from './stores.ts'
import { rotateWebhookCredential } from './webhook-credentials.ts'

/** Changes of keys, origins and credentials with their entry in the audit log, for staff, programs and commands. */

type OfStore = Pick<Store, 'id'>

const auditedKey = ({ name, kind, scopes, rateLimit }: Pick<KeyListing, 'name' | 'kind' | 'scopes' | 'rateLimit'>) => ({
  ...{ name, kind, scopes, rateLimit },
})

export const createKeyBy = async (tx: Tx, store: OfStore, by: Author, request: KeyRequest) => {
  const made = await createKey(tx, store.id, request)
  const changes = compareFields({}, auditedKey({ ...request, ...made, scopes: [...made.scopes] }))
  recordChange(tx, store, by, { action: 'key.created', id: made.id, changes })
  return made
}

export type KeyChange = { name?: string; scopes?: readonly string[]; rateLimit?: number }

/** `storeId` null: the key of any store, for an operator. */
export const changeKeyBy = async (
  tx: Tx,
  by: Author,
  { keyId, storeId }: { keyId: string; storeId: StoreId | null },
  change: KeyChange,
) => {
  const before = await findKeyById(tx, keyId)
  if (before === undefined || (storeId !== null && before.storeId !== storeId)) throw refuse('KEY_NOT_FOUND', { keyId })
  const after = { ...before, ...change, scopes: readScopes(change.scopes ?? before.scopes) }
  await updateKey(tx, before.storeId, keyId, after)
  await announceStore(tx, before.storeId)
  const changes = compareFields(auditedKey(before), auditedKey(after))
  const store = { id: before.storeId }
  if (Object.keys(changes).length > 0) recordChange(tx, store, by, { action: 'key.updated', id: keyId, changes })
  return showKey(after)
}

const readScopes = (wanted: readonly string[]): Scope[] =>
  [...new Set(wanted)].map((scope) => {
    const known = scopes.find((name) => name === scope)
    if (known === undefined) throw refuse('SCOPE_UNKNOWN', { scope, scopes })
    return known
  })

/** `storeId` null: the key of any store, for an operator. */
export const revokeKeyBy = async (
  tx: Tx,
  by: Author,
  { keyId, storeId }: { keyId: string; storeId: StoreId | null },
) => {
  const known = await findKeyById(tx, keyId)
  if (known === undefined || (storeId !== null && known.storeId !== storeId)) throw refuse('KEY_NOT_FOUND', { keyId })
  const revoked = await revokeKey(tx, keyId)
  if (known.revokedAt === null) recordChange(tx, { id: known.storeId }, by, { action: 'key.revoked', id: keyId })
  return revoked
}

export const listKeysOf = async (db: Queries, store: OfStore) => (await listKeys(db, store.id)).map(showKey)

const showKey = ({ id, name, kind, scopes, rateLimit, expiresAt, revokedAt, createdAt }: KeyListing) => ({
  ...{ id, name, kind, scopes, rateLimit: rateLimit ?? 60 },
  expiresAt: expiresAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})

export const allowOriginBy = async (tx: Tx, store: Store, by: Author, origin: string) => {
  const before = await listOrigins(tx, store)
  await allowOrigin(tx, store, origin)
  return noteOrigins(tx, store, by, before)
}

export const removeOriginBy = async (tx: Tx, store: Store, by: Author, origin: string) => {
  const before = await listOrigins(tx, store)
  await removeOrigin(tx, store, origin)
  return noteOrigins(tx, store, by, before)
}

const noteOrigins = async (tx: Tx, store: Store, by: Author, before: readonly string[]) => {
  const after = await listOrigins(tx, store)
  const changes = compareFields({ origins: before }, { origins: after })
  if (changes.origins !== undefined) {
    recordChange(tx, store, by, { action: 'origins.updated', id: store.publicId, changes })
  }
  return after
}

export const rotateCredentialBy = async (
  tx: Tx,
  store: Pick<Store, 'id' | 'publicId'>,
  by: Author,
  { kind, overlapMs }: { kind: 'payment' | 'logistics'; overlapMs: number },
) => {
  const rotated = await rotateWebhookCredential(tx, store, kind, overlapMs)
  recordChange(tx, store, by, { action: 'webhook_credential.rotated', id: kind })
  return rotated
}
