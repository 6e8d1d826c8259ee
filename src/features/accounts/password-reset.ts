import { newId } from '../../core/ids.ts'
import { mustExist } from '../../core/must-exist.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Tx } from '../../db/database.ts'
import { lockCustomer } from '../access/guests.ts'
import type { StoreCtx } from '../context.ts'
import { toCustomer } from './customer.ts'
import { recordCustomerEvent } from './customer-events.ts'
import { type CustomerRow, findCustomer, insertCustomer } from './customers.sql.ts'
import { clearFailures, signedIn } from './email.sql.ts'
import { hashingClientOf, readEmail } from './email.ts'
import { limitClient, mailTo, requireSender } from './mail-limits.ts'
import { deadLink, linkOrigin } from './mail-links.ts'
import { consumeToken, deleteMailTokens, findTokenOwner, type MailToken, resetPasswordHash } from './mail-tokens.sql.ts'
import { hasUnconfirmedEmail, releaseUnconfirmedEmail } from './release-email.ts'
import { deleteSessions } from './sessions.sql.ts'
import { openSession } from './sessions.ts'

export type Forgotten = { email: string; storefrontUrl?: string }

/**
 * Queues a mail without looking the account up: the job that sends it does (`makeResetToken`). So known and unknown
 * addresses get the same response after the same work.
 */
export const forgetPassword = async (ctx: StoreCtx, { email: emailAsTyped, storefrontUrl }: Forgotten) => {
  requireSender(ctx, 'email')
  const email = readEmail(emailAsTyped)
  const origin = linkOrigin(ctx, storefrontUrl)
  await limitClient(ctx, 'password-forgot')
  const mail = { recipient: email, language: ctx.language, data: { origin }, sealed: null }
  await ctx.db.tx((tx) => mailTo(tx, ctx, { message: 'password.reset', ...mail }))
}

/**
 * The token is looked up before the password is hashed, so that invalid tokens cost no hashing. The transaction decides
 * which of several concurrent calls uses it. The customer is locked before the tokens: two links of one customer, used
 * at once, would otherwise wait for each other.
 */
export const resetPassword = async (ctx: StoreCtx, { token: text, password }: { token: string; password: string }) => {
  await limitClient(ctx, 'password-reset')
  const { id: storeId } = ctx.store
  const token: MailToken = { purpose: 'password.reset', tokenHash: hashSecret(text) }
  const owner = await findTokenOwner(ctx.db, storeId, token)
  if (owner === undefined) throw deadLink()
  const { customerId } = owner
  const passwordHash = await ctx.passwords.runQueued(hashingClientOf(ctx), ({ hash }) => hash(password))
  return ctx.db.tx(async (tx) => {
    await lockCustomer(tx, storeId, customerId)
    const used = await consumeToken(tx, storeId, token)
    if (used === undefined) throw deadLink()
    const before = mustExist(await findCustomer(tx, storeId, customerId), `customer ${customerId}`)
    if (hasUnconfirmedEmail(before) && before.email === used.email) {
      await releaseUnconfirmedEmail(tx, ctx, before)
      return openFor(tx, ctx, await makeAccount(tx, ctx, used.email, passwordHash))
    }
    const customer = await resetPasswordHash(tx, storeId, customerId, { email: used.email, passwordHash })
    if (customer === undefined) throw deadLink()
    recordCustomerEvent(tx, ctx.store, customer, 'customer.updated')
    await deleteMailTokens(tx, storeId, customerId, null)
    await deleteSessions(tx, storeId, customerId, null)
    for (const who of [used.email, signedIn(customerId)]) await clearFailures(tx, storeId, who)
    return openFor(tx, ctx, customer)
  })
}

const openFor = async (tx: Tx, ctx: StoreCtx, customer: CustomerRow) => ({
  user: toCustomer(customer),
  ...(await openSession(tx, ctx, customer.id)),
})

const makeAccount = async (tx: Tx, ctx: StoreCtx, email: string, passwordHash: string): Promise<CustomerRow> => {
  const id = newId('cus', ctx.clock.now())
  const account = { id, name: '', email, emailVerified: true, phone: null, contactPhone: '', passwordHash }
  const made = await insertCustomer(tx, ctx.store.id, { ...account, language: ctx.language })
  // Another customer has just signed up with the address.
  if (made === undefined) throw deadLink()
  recordCustomerEvent(tx, ctx.store, made, 'customer.created')
  return made
}
