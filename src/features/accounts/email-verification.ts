import { fail } from '../../core/errors.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret } from '../../core/secrets.ts'
import { isUniqueViolation, type Tx } from '../../db/database.ts'
import { lockCustomer } from '../access/guests.ts'
import type { CustomerCtx, Store, StoreCtx } from '../context.ts'
import { queueLimitedMail } from '../events/record.ts'
import { toCustomer } from './customer.ts'
import { recordCustomerEvent } from './customer-events.ts'
import { findCredentials, findCustomer } from './customers.sql.ts'
import { limitClient, mailTo, maxMailsPerHour, requireSender } from './mail-limits.ts'
import { deadLink, linkOrigin } from './mail-links.ts'
import { confirmEmail, consumeToken, deleteMailTokens, findTokenOwner, type MailToken } from './mail-tokens.sql.ts'
import type { CustomerProfile } from './sign-in.contract.ts'

/** The customer needs no session, because the mail may be read on another device. */
export const verifyEmail = async (ctx: StoreCtx, { token: text }: { token: string }): Promise<CustomerProfile> => {
  await limitClient(ctx, 'email-verify')
  const { id: storeId } = ctx.store
  const token: MailToken = { purpose: 'email.verify', tokenHash: hashSecret(text) }
  const owner = await findTokenOwner(ctx.db, storeId, token)
  if (owner === undefined) throw deadLink()
  const { customerId } = owner
  try {
    return await ctx.db.tx(async (tx) => {
      await lockCustomer(tx, storeId, customerId)
      const used = await consumeToken(tx, storeId, token)
      if (used === undefined) throw deadLink()
      const confirmed = await confirmEmail(tx, storeId, customerId, used.email)
      const customer = mustExist(confirmed ?? (await findCustomer(tx, storeId, customerId)), `customer ${customerId}`)
      if (customer.email !== used.email) throw deadLink()
      await deleteMailTokens(tx, storeId, customerId, 'email.verify')
      if (confirmed !== undefined) recordCustomerEvent(tx, ctx.store, confirmed, 'customer.updated')
      return toCustomer(customer)
    })
  } catch (error) {
    // The email was contact data of this customer, and another one signs in with it.
    if (isUniqueViolation(error)) throw fail('CONFLICT', 'This email already has an account.')
    throw error
  }
}

/** Sends the mail again. An email that is confirmed needs none. */
export const requestVerification = async (ctx: CustomerCtx, { storefrontUrl }: { storefrontUrl?: string }) => {
  requireSender(ctx, 'email')
  const origin = linkOrigin(ctx, storefrontUrl)
  const { customerId } = ctx.shopper
  const { email, emailVerified } = await findCredentials(ctx.db, ctx.store.id, customerId)
  if (email === null) throw fail('BAD_REQUEST', 'Add an email first.')
  if (emailVerified) return
  await limitClient(ctx, 'email-verify-mail')
  await ctx.db.tx((tx) => mailTo(tx, ctx, verificationMail(ctx, { email, customerId, origin })))
}

type Verification = { email: string; customerId: string; origin: string }

/** The token is made when the mail is sent (`makeVerifyToken`). */
const verificationMail = ({ language }: Pick<StoreCtx, 'language'>, { email, customerId, origin }: Verification) => ({
  ...{ message: 'email.verify' as const, recipient: email, language, data: { customerId, origin }, sealed: null },
})

/** Sends no mail to an address that has got too many: the customer can ask for one later. */
export const queueVerification = (
  tx: Tx,
  ctx: { store: Pick<Store, 'id'>; language: StoreCtx['language'] },
  verification: Verification,
) => queueLimitedMail(tx, ctx.store, verificationMail(ctx, verification), maxMailsPerHour)
