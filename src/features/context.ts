import type { Clock } from '../core/clock.ts'
import type { Cipher } from '../core/encryption.ts'
import type { Signer } from '../core/secrets.ts'
import type { Db } from '../db/database.ts'
import { bindRoutes, type RequestContext } from '../http/door.ts'
import type { PaymentProvider } from '../providers/payment/provider.ts'
import type { SmsSender } from '../providers/sms/sender.ts'
import type { Scope } from './access/storefront.contract.ts'

/** The context of an unauthenticated request. */
export type PublicCtx = RequestContext & { clientAddress: string }

/** Internal keys of stores and outlets. Clients only see the public ids. */
export type StoreId = number & { readonly kind?: 'store' }
export type OutletId = number & { readonly kind?: 'outlet' }

export type Outlet = { id: OutletId; publicId: string; name: string }

export type Store = {
  id: StoreId
  publicId: string
  name: string
  domain: string
  currency: string
  locale: string
  timezone: string
  logo: string
  contact: { email: string; phone: string }
  address: StoreAddress | null
  taxIncluded: boolean
  shippingFlatMinor: number
  shippingFreeAboveMinor: number | null
  paymentProvider: string
  cashOnDelivery: boolean
  /** Limits on the unpaid orders of one customer. Null: no limit. */
  codMaxValueMinor: number | null
  codMaxUnits: number | null
  codMaxOpenOrders: number | null
  codVerifiedPhone: boolean
  maxHeldUnits: number | null
  /** Limit on one-time passwords per hour for all phones together, and the countries they go to (empty: all). */
  otpHourlyCap: number | null
  otpCountries: readonly string[]
  /** Requests per minute of one visitor with a browser key. */
  visitorLimit: number
  /** One-time passwords per hour that one client may request. */
  otpClientLimit: number
  menu: MenuEntry[]
  defaultOutlet: Outlet
  outlets: readonly Outlet[]
  origins: ReadonlySet<string>
  /** Its keys are refused; existing orders are still settled and delivered. */
  isClosed: boolean
}

export type StoreAddress = { line1: string; city: string; state: string; postalCode: string; country: string }

export type MenuEntry = { id: string; label: string; type: string; target: string; children: MenuEntry[] }

/** The dependencies of use cases, passed in so that tests can replace them. */
export type Services = {
  db: Db
  clock: Clock
  cursors: Signer
  guestTokens: Signer
  otpHashes: Signer
  sms: SmsSender
  passwords: PasswordHasher
  payments: Payments
  counter: Counter
  boundLookup: BoundLookup
  /** The public address of this service, for links. */
  publicUrl: string
}

/** Counts events in fixed time windows, the current one included. With Redis, counts are shared by all instances. */
export type Counter = {
  count(id: string, windowMs: number, nowMs: number): number | Promise<number>
  /** Undoes one `count` with the same arguments. */
  giveBack(id: string, windowMs: number, nowMs: number): void | Promise<void>
}

/**
 * Runs a lookup for an unauthenticated client. Undefined is a miss; after too many misses in a minute the client is
 * refused without a lookup.
 */
export type BoundLookup = <Found>(
  client: string,
  lookUp: () => Promise<Found | undefined>,
) => Promise<Found | undefined>

/** The payment providers by name, and the keys that sign and encrypt for them. */
export type Payments = {
  providers: ReadonlyMap<string, PaymentProvider>
  production: boolean
  /** Signs the URLs of sandbox pages. */
  pageTokens: Signer
  /** Signs the webhook credentials of the sandbox. */
  webhookTokens: Signer
  /** Encrypts the credentials of stores. */
  accounts: Cipher
}

/** Hashing slots are shared fairly between stores, then between the clients of a store. */
export type Asker = { storeId: StoreId; client: string }

/** Hashing is slow by design, so few run at once and the others are queued. Never call it inside a transaction. */
export type PasswordHasher = {
  inTurn<Result>(who: Asker, work: (hashing: Hashing) => Promise<Result>): Promise<Result>
}

export type Hashing = {
  hash(password: string): Promise<string>
  /** Without a hash it takes the same time and returns false, so that timing does not reveal which accounts exist. */
  check(password: string, hash: string | undefined): Promise<boolean>
  /** Whether a hash was made with weaker parameters than the current ones. */
  isOutdated(hash: string): boolean
}

/** A request to a store, scoped to one of its outlets. */
export type StoreCtx = Services &
  RequestContext & {
    store: Store
    outlet: Outlet
    scopes: ReadonlySet<Scope>
    /** Identifies the client for rate limits (http/client-address.ts). A storefront's own server is one client. */
    clientAddress: string
    /** The request has a browser key, so the client is the shopper's own device. */
    isBrowserKey: boolean
  }

/** A shopper with a guest token. `isNew`: the token is issued with this response. */
export type Guest = { kind: 'guest'; guestId: string; isNew: boolean }

/** A signed-in shopper. Without a session if the storefront's own server asserts the customer. */
export type Customer = { kind: 'customer'; customerId: string; sessionHash: string | null }

export type Shopper = Guest | Customer

export type ShopperCtx<Kind extends Shopper = Shopper> = StoreCtx & {
  shopper: Kind
  /** The request names the outlet; otherwise `outlet` is the default one. */
  outletIsChosen: boolean
  idempotencyKey: string | null
}

export type CustomerCtx = ShopperCtx<Customer>

export const routes = bindRoutes<
  'storefront',
  {
    public: PublicCtx
    store: StoreCtx
    'sign-in': StoreCtx
    shopper: ShopperCtx
    customer: CustomerCtx
    asserted: CustomerCtx
  }
>()
