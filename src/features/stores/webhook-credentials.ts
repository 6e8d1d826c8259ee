import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import type { Store, StoreId } from '../context.ts'
import { lockStore } from './stores.sql.ts'
import * as sql from './webhook-credentials.sql.ts'

/** Creates the credentials of the payment webhook. The password is returned only here. */
export const makePaymentCredential = async (tx: Tx, storeId: StoreId, username = `pay_${randomText(12)}`) => {
  const password = randomText(32)
  await sql.insertWebhookCredential(tx, storeId, { kind: 'payment', username, secretHash: hashSecret(password) })
  return { username, password }
}

/** Creates the key of the logistics webhook. It is returned only here. */
export const makeLogisticsKey = async (tx: Tx, storeId: StoreId) => {
  const key = `vlk_${randomText(32)}`
  await sql.insertWebhookCredential(tx, storeId, { kind: 'logistics', username: '', secretHash: hashSecret(key) })
  return key
}

export type Rotated = ({ username: string; password: string } | { key: string }) & { oldValidUntil: Date | null }

/**
 * Replaces the credentials of a webhook. All older ones expire after `overlapMs` at the latest, so 0 ends them
 * immediately. The user name stays the same, so only the password has to be changed at the provider.
 */
export const rotateWebhookCredential = async (
  tx: Tx,
  store: Pick<Store, 'id'>,
  kind: 'payment' | 'logistics',
  overlapMs: number,
): Promise<Rotated> => {
  await lockStore(tx, store.id)
  const old = await sql.endWebhookCredentials(tx, store.id, kind, overlapMs)
  await sql.dropEndedCredentials(tx, store.id, kind)
  const made =
    kind === 'payment'
      ? await makePaymentCredential(tx, store.id, old?.username)
      : { key: await makeLogisticsKey(tx, store.id) }
  return { ...made, oldValidUntil: old?.validUntil ?? null }
}
