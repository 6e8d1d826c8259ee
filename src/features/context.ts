import type { Clock } from '../core/clock.ts'
import type { Cipher } from '../core/encryption.ts'
import type { Signer } from '../core/secrets.ts'
import type { Db } from '../db/database.ts'
import { bindRoutes, type RequestContext } from '../http/door.ts'
import type { PaymentProvider } from '../providers/payment/provider.ts'
import type { SmsSender } from '../providers/sms/sender.ts'
import type { Scope } from './access/storefront.contract.ts'

/** A caller of whom nothing is known but the address. */
export type PublicCtx = RequestContext & { clientAddress: string }

/** Numbers of a store and of an outlet inside the database; callers only ever see their public ids. */
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
  /** Limits on what one customer can order without paying first. Null: none. */
  codMaxValueMinor: number | null
  codMaxUnits: number | null
  codMaxOpenOrders: number | null
  codVerifiedPhone: boolean
  maxHeldUnits: number | null
  /** How many codes it sends in an hour for all phones together, and to which countries (none named: to all). */
  otpHourlyCap: number | null
  otpCountries: readonly string[]
  /** How many requests a minute one visitor may make with its browser keys. */
  visitorLimit: number
  /** How many codes one client may ask for in an hour. */
  otpClientLimit: number
  menu: MenuEntry[]
  defaultOutlet: Outlet
  outlets: readonly Outlet[]
  origins: ReadonlySet<string>
  /** Its keys are refused; what was ordered before is still settled and delivered. */
  isClosed: boolean
}

export type StoreAddress = { line1: string; city: string; state: string; postalCode: string; country: string }

export type MenuEntry = { id: string; label: string; type: string; target: string; children: MenuEntry[] }

/** What every use case gets: the tools, passed in so that tests can replace them. */
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
  /** This service's own address, for links. */
  publicUrl: string
}

/** Counts events in fixed windows of the clock, this one included; for all instances where there is a Redis. */
export type Counter = {
  count(id: string, windowMs: number, nowMs: number): number | Promise<number>
  /** Takes back one that was counted with the same values. */
  giveBack(id: string, windowMs: number, nowMs: number): void | Promise<void>
}

/**
 * A lookup for a client who has proved nothing yet. Undefined is a miss, and a client with too many of them in a minute
 * is refused before anything is looked up.
 */
export type BoundLookup = <Found>(
  client: string,
  lookUp: () => Promise<Found | undefined>,
) => Promise<Found | undefined>

/** Who takes payments, by name, and the keys of what belongs to them. */
export type Payments = {
  providers: ReadonlyMap<string, PaymentProvider>
  production: boolean
  /** Signs the addresses of the sandbox's pages. */
  pageTokens: Signer
  /** Signs what the sandbox proves itself with at the webhook. */
  webhookTokens: Signer
  /** Seals the credentials of stores. */
  accounts: Cipher
}

/** Who asks for a turn. Turns go round between stores, then between the clients of a store. */
export type Asker = { storeId: StoreId; client: string }

/** Hashing is slow on purpose, so few may do it at once and the others wait for their turn. Never in a transaction. */
export type PasswordHasher = {
  inTurn<Result>(who: Asker, work: (hashing: Hashing) => Promise<Result>): Promise<Result>
}

export type Hashing = {
  hash(password: string): Promise<string>
  /** Takes as long without a hash, and is then false. */
  check(password: string, hash: string | undefined): Promise<boolean>
  /** Whether a hash was made with less effort than is now usual. */
  isOutdated(hash: string): boolean
}

/** A request of a known store, scoped to one of its outlets. */
export type StoreCtx = Services &
  RequestContext & {
    store: Store
    outlet: Outlet
    scopes: ReadonlySet<Scope>
    /** Tells clients apart for limits (http/client-address.ts). A storefront's own server is one client. */
    clientAddress: string
    /** Called with a key for pages and apps, where the client is the shopper's own device. */
    isBrowserKey: boolean
  }

/** Somebody with a guest token. `isNew`: the token goes out with this very answer. */
export type Guest = { kind: 'guest'; guestId: string; isNew: boolean }

/** Somebody who has signed in; without a session when a storefront's own server vouches for the customer. */
export type Customer = { kind: 'customer'; customerId: string; sessionHash: string | null }

export type Shopper = Guest | Customer

export type ShopperCtx<Kind extends Shopper = Shopper> = StoreCtx & {
  shopper: Kind
  /** The caller named the outlet, and did not just get the default one. */
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
