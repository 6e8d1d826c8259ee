import { describeAmount } from '../../core/money.ts'
import { mustExist } from '../../core/must-exist.ts'
import type { Queries } from '../../db/database.ts'
import { cash } from '../../providers/payment/cash.ts'
import { findStoreByPublicId } from '../access/directory.ts'
import type { Payments, Store } from '../context.ts'
import { examineStoredAccount } from '../payments/accounts.ts'
import { countActiveKeys, countProductsInStock } from './going-live.sql.ts'
import type { setupSteps } from './setup.admin.contract.ts'
import { readSetupFacts } from './setup.sql.ts'

type SetupCtx = {
  db: Queries
  payments: Payments
  sendsMail: boolean
  store: Pick<Store, 'publicId'>
}

type Finding = { done: boolean; detail: string }
type SetupStep = Finding & { name: (typeof setupSteps)[number] }

const found = (detail: string): Finding => ({ done: true, detail })
const missing = (detail: string): Finding => ({ done: false, detail })

/** The checklist from a new store to its first real payment. Calls no provider, because a page asks every few seconds. */
export const readSetup = async ({ db, payments, sendsMail, store: { publicId } }: SetupCtx) => {
  // The store of the request may be a second old.
  const store = mustExist(await findStoreByPublicId(db, publicId), `store ${publicId}`)
  const facts = await readSetupFacts(db, store.id)
  const steps: SetupStep[] = [
    { name: 'storefront', ...examineStorefront(store, payments.production, await countActiveKeys(db, store.id)) },
    { name: 'payment', ...(await examinePayment(db, payments, store)) },
    { name: 'shipping', ...examineShipping(store, facts.shippingDecided) },
    { name: 'tax', ...examineTax(store, facts.taxDecided) },
    { name: 'mail', ...examineMailOf(store, sendsMail) },
    { name: 'product', ...examineProducts(await countProductsInStock(db, store.id)) },
    { name: 'order', ...examineOrders(facts.hasOrder) },
  ]
  return { done: steps.filter(({ done }) => done).length, steps }
}

const originsNamed = 2

const examineStorefront = ({ origins }: Store, isProduction: boolean, keys: number): Finding => {
  const usable = [...origins].filter((origin) => !isProduction || origin.startsWith('https://'))
  if (origins.size === 0) return missing('No website may call this store yet. Add the address of your shop.')
  if (usable.length === 0) return missing('The address of your shop must begin with https://.')
  if (keys === 0) return missing('No key of this store works. Create one for your shop.')
  const more = usable.length - originsNamed
  const named = usable.slice(0, originsNamed).join(', ')
  return found(`${named}${more > 0 ? ` and ${more} more` : ''} may call this store.`)
}

const examinePayment = async (db: Queries, payments: Payments, store: Store): Promise<Finding> => {
  const provider = payments.providers.get(store.paymentProvider)
  if (provider === undefined) return missing('No payment account is switched on.')
  if (provider.name === cash.name) return found('Customers pay in cash on delivery.')
  if (provider.isForTesting) {
    return missing('Payments are only tried out: no money moves. Add an account of a payment provider.')
  }
  const name = provider.name.slice(0, 1).toUpperCase() + provider.name.slice(1)
  const account = await examineStoredAccount(db, payments, store, provider)
  switch (account.state) {
    case 'unreadable':
      return missing(`The credentials at ${name} can no longer be read. Enter them again.`)
    case 'incomplete':
      return missing(`The account at ${name} lacks the ${account.missing.map(toWords).join(' and the ')}.`)
    case 'unchecked':
      return missing(`The credentials at ${name} were saved without a check. Check them.`)
    case 'checked':
      return found(
        account.isTestAccount
          ? `${name} has accepted the credentials, in test mode. Enter live ones before you open.`
          : `${name} has accepted the credentials.`,
      )
  }
}

/** Credentials are named as the provider does: `secretKey`. */
const toWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const examineShipping = ({ currency, ...store }: Store, isDecided: boolean): Finding => {
  if (!isDecided) return missing('Say what shipping costs, or that it is free.')
  const { shippingFlatMinor: flat, shippingFreeAboveMinor: freeAbove } = store
  if (flat === 0) return found('Shipping is free.')
  const cost = `Shipping costs ${describeAmount(flat, currency)}`
  return found(freeAbove === null ? `${cost}.` : `${cost}, and is free from ${describeAmount(freeAbove, currency)}.`)
}

const examineTax = ({ taxIncluded }: Store, isDecided: boolean): Finding => {
  if (!isDecided) return missing('Say whether your prices include tax.')
  return found(taxIncluded ? 'Prices include tax.' : 'Tax is added to prices.')
}

const examineMailOf = ({ contact, mailReplyTo }: Store, sendsMail: boolean): Finding => {
  if (!sendsMail) return missing('This service sends no mail. Its operator must set VITRINE_SMTP_URL.')
  const address = mailReplyTo || contact.email
  if (address === '') return missing('Customers cannot reply to mail yet. Enter an address for them.')
  return found(`Mail is sent, and replies go to ${address}.`)
}

const examineProducts = (count: number): Finding =>
  count === 0
    ? missing('There is nothing to buy yet. Add a product that is active and in stock.')
    : found(count === 1 ? 'One product is in stock.' : `${count} products are in stock.`)

const examineOrders = (hasOrder: boolean): Finding =>
  hasOrder ? found('An order went through.') : missing('Buy something in your shop, and pay with a test card.')
