import { hours, minutes } from '../../core/clock.ts'
import { fail } from '../../core/errors.ts'
import { randomText } from '../../core/ids.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Queries } from '../../db/database.ts'
import { checkStorefrontUrl } from '../access/storefront-url.ts'
import type { Store, StoreCtx } from '../context.ts'
import { insertResetToken, insertVerifyToken } from './mail-tokens.sql.ts'

export const resetTtlMs = minutes(30)
export const verifyTtlMs = hours(24)

/** The token of a link, and the name of the customer whom the mail addresses. */
export type MailLink = { token: string; name: string }

/**
 * Called when the mail is sent, not when it is requested, so that a request does the same work whether or not there is
 * an account. Null: the email signs nobody in.
 */
export const makeResetToken = (db: Queries, store: Pick<Store, 'id'>, email: string): Promise<MailLink | null> =>
  makeToken('rst', (tokenHash) => insertResetToken(db, store.id, { tokenHash, email, ttlMs: resetTtlMs }))

/** Null: the customer has another email by now, or has confirmed this one. */
export const makeVerifyToken = (
  db: Queries,
  store: Pick<Store, 'id'>,
  { email, customerId }: { email: string; customerId: string },
): Promise<MailLink | null> =>
  makeToken('vrf', (tokenHash) => insertVerifyToken(db, store.id, customerId, { tokenHash, email, ttlMs: verifyTtlMs }))

const makeToken = async (prefix: string, insert: (tokenHash: string) => Promise<{ name: string } | undefined>) => {
  const token = `${prefix}_${randomText(32)}`
  const made = await insert(hashSecret(token))
  return made === undefined ? null : { token, name: made.name }
}

/** Where the link of a mail leads: an origin on the allowlist of the store. */
export const linkOrigin = ({ store }: StoreCtx, storefrontUrl: string | undefined) =>
  storefrontUrl === undefined ? store.domain : checkStorefrontUrl(store, storefrontUrl)

/** One answer for unknown, used and expired tokens, and for those of an earlier email. */
export const deadLink = () =>
  fail('GONE', 'This link is not valid: it has expired, was used, or was replaced. Request a new one.')
