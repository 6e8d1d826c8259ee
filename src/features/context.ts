import type { AddressGuard } from '../core/address-guard.ts'
import type { Circuits } from '../core/circuit.ts'
import type { Clock } from '../core/clock.ts'
import type { Cipher } from '../core/encryption.ts'
import type { FairQueue, QueuedClient } from '../core/fair-queue.ts'
import type { Language } from '../core/languages.ts'
import type { Signer } from '../core/secrets.ts'
import type { Db, Queries } from '../db/database.ts'
import type { ProductCache } from '../http/cached-products.ts'
import { bindRoutes, type RequestContext } from '../http/door.ts'
import type { Carrier } from '../providers/carrier/carrier.ts'
import type { MailSender } from '../providers/mail/sender.ts'
import type { PaymentProvider } from '../providers/payment/provider.ts'
import type { SmsSender } from '../providers/sms/sender.ts'
import type { FileStorage } from '../providers/storage/storage.ts'
import type { Permission } from './access/admin.contract.ts'
import type { Scope } from './access/storefront.contract.ts'

/** Whose sessions are. It does not say whether they are still valid. */
export type KnownSessions = {
  find(storeId: StoreId, sessionHash: string): string | undefined
  note(storeId: StoreId, sessionHash: string, customerId: string): void
  forget(storeId: StoreId, sessionHash: string): void
}

/** Facets of categories, kept for a moment. */
export type CategoryFacets = {
  /**
   * The facets of these categories with their counts as JSON, the most common first, without those that were removed.
   * `fingerprint` is equal only for equal JSON. `asOfMs`: all of them were read after this time, by `performance.now()`.
   */
  write(
    db: Queries,
    storeId: StoreId,
    byCategory: ReadonlyMap<string, number>,
  ): Promise<{ json: string; fingerprint: string; asOfMs: number }>
}

/** How many products have a word, and how many in their name. Null if it is not common. */
export type Commonness = { products: number; named: number } | null

/** `isBegun`: words of the store begin with it. `begun`: how common they are. */
export type KnownWord = { word: string; isWhole: boolean; isBegun: boolean; whole: Commonness; begun: Commonness }

/** `products`: how many the store had when its words were counted; 0 if they were not. `corrections`: if it was corrected. */
export type KeptWord = KnownWord & { products: number; corrections?: readonly string[] }

/** Words of the stores, kept for a moment. */
export type SearchWords = {
  /** `asOfMs`: words that were added since then, by `performance.now()`, may not be known. */
  lookUp(db: Db, storeId: StoreId, words: readonly string[]): Promise<{ words: KeptWord[]; asOfMs: number }>
  /** The words of the store that are most like it. */
  correct(db: Db, storeId: StoreId, word: string): Promise<readonly string[]>
}

/**
 * What an index file knows of a product. `category`: a number in place of its id; 0: none. `rank`: 0 until the search that
 * reads it has ranked it.
 */
export type IndexedProduct = { seq: number; rank: number; priceMinor: number; isInStock: boolean; category: number }

/** Neighbouring products. `isSorted`: the newest has the last slot, and so on. */
export type IndexBlock = { number: number; isSorted: boolean }

/** Slots of products in a block: a list, or a bit for each slot (search-index/slots.ts). */
export type IndexSlots = Uint16Array | Uint32Array

/** Reads an index file. */
export type IndexReader = {
  /** From the newest on. */
  blocks(): readonly IndexBlock[]
  /** The products with a term (search-index/index-file.ts). */
  slotsOf(term: string, block: IndexBlock): IndexSlots | undefined
  /** The products with any of these terms. */
  anyOf(terms: readonly string[]): (block: IndexBlock) => IndexSlots | undefined
  /** Words that begin so, with their marks: so many at most. */
  listBegun(beginning: string, limit: number): readonly string[]
  /** Undefined if it was removed. */
  productAt(block: IndexBlock, slot: number): IndexedProduct | undefined
  /** Products with this name, as a number (search-index/index-file.ts). The newest first. */
  listNamed(name: number, limit: number): readonly { block: IndexBlock; slot: number }[]
  categoryId(number: number): string | null
  categoryNumbers(ids: readonly string[]): number[]
}

/** `asOfMs`: all changes before this time, a result of `performance.now()`, are in the result. */
export type FromIndex<Result> = { result: Result; asOfMs: number }

/** Indexes of the words of large stores, in files of this instance (decision 0059). */
export type SearchIndexes = {
  /** Undefined if the store has none that is up to date, or `find` leaves it to the database. */
  ask<Result>(
    outlet: { storeId: StoreId; outletId: OutletId },
    products: number,
    find: (reader: IndexReader) => Result | undefined,
  ): FromIndex<Result> | undefined
}

/** An unauthenticated caller. */
export type PublicCtx = RequestContext & { clientAddress: string }

/** Internal ids. Callers only see public ids. */
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
  /** The store's account at its payment provider, encrypted. Null if it needs none. */
  paymentCredentials: string | null
  cashOnDelivery: boolean
  /** Limits on cash-on-delivery and unpaid orders of one customer. Null: no limit. */
  codMaxValueMinor: number | null
  codMaxUnits: number | null
  codMaxOpenOrders: number | null
  codVerifiedPhone: boolean
  maxHeldUnits: number | null
  /** Max one-time codes the store sends per hour to all phones, and the allowed countries (empty: all). */
  otpHourlyCap: number | null
  otpCountries: readonly string[]
  /** Max requests per minute of one visitor with a browser key. */
  visitorLimit: number
  /** How many days after the delivery a customer can ask for a return. 0: never. */
  returnDays: number
  /** Max one-time codes that one client can request per hour. */
  otpClientLimit: number
  /** Available units at which a variant counts as low in stock. */
  lowStockThreshold: number
  /** What staff with the role support may refund of one order, in all. Null: nothing. */
  supportRefundLimitMinor: number | null
  /** The seller's number at the tax authority, for invoices. Empty if none. */
  taxId: string
  invoicePrefix: string
  /** The month in which the numbers of invoices begin again. Null: never. */
  invoiceYearStart: number | null
  /** The colour of buttons in mail, `#rrggbb`, or empty for the default. */
  brandColor: string
  /** Sender name and reply address of mail. Empty: the name and the contact address of the store. */
  mailSenderName: string
  mailReplyTo: string
  /** Names of messages that the store does not send, such as `order.shipped`. */
  mailOff: readonly string[]
  menu: MenuEntry[]
  defaultOutlet: Outlet
  outlets: readonly Outlet[]
  origins: ReadonlySet<string>
  /** Keys of a closed store are refused. Existing orders are still paid, refunded and delivered. */
  isClosed: boolean
}

export type StoreAddress = { line1: string; city: string; state: string; postalCode: string; country: string }

export type MenuEntry = { id: string; label: string; type: string; target: string; children: MenuEntry[] }

/** Dependencies of use cases, passed in so that tests can replace them. */
export type Services = {
  db: Db
  clock: Clock
  cursors: Signer
  guestTokens: Signer
  otpHashes: Signer
  sms: SmsSender
  /** Null in production without an SMTP server: no mail is sent. */
  mail: MailSender | null
  mailFrom: MailFrom
  /** Reports a mail that will not be tried again. */
  onMailGivenUp(ids: { storeId: string; mailId: string; message: string; attempts: number }): void
  /** Encrypts the codes of mail that waits to be sent. */
  mailSeal: Cipher
  /** Encrypts the second factors of staff. */
  staffSeal: Cipher
  /** The ways to sign in that work here: codes need a sender. */
  signIn: readonly SignInWay[]
  passwords: PasswordHasher
  payments: Payments
  carriers: Carriers
  webhooks: OutgoingWebhooks
  counter: Counter
  limitLookups: LimitLookups
  /** The database for reads of the catalog: a replica, if there is one and it is up to date. */
  readsFor(db: Db, storeId: StoreId): Db
  /** Products that were shown lately. */
  cachedProducts: Pick<ProductCache, 'find'>
  limitSubjects: LimitSubjects
  knownSessions: KnownSessions
  categoryFacets: CategoryFacets
  searchWords: SearchWords
  searchIndexes: SearchIndexes
  media: Media
  /** Base URL of this service, for links. */
  publicUrl: string
  /** Base URL of uploaded pictures. */
  mediaUrl: string
}

/** What is needed to store uploaded pictures. */
export type Media = {
  storage: FileStorage
  /** Max bytes of all pictures of one store. */
  storeLimitBytes: number
  /** Limits how many pictures are decoded at once, and lets the stores take turns. */
  runInTurn: FairQueue
}

/** The sender of all mail. An empty name: that of the store. */
export type MailFrom = { name: string; address: string }

/** `phone` and `email` stand for one-time passwords. */
export type SignInWay = 'phone' | 'email' | 'password'

/**
 * Counts events in fixed windows. `count` returns the new count. With Redis the counts are shared by all instances,
 * otherwise each instance counts on its own.
 */
export type Counter = {
  /** With a limit, counting frequent calls costs less, calls beyond it need not be counted, and none can be uncounted. */
  count(id: string, windowMs: number, nowMs: number, limit?: number): number | Promise<number>
  /** Undoes one `count` with the same arguments. */
  uncount(id: string, windowMs: number, nowMs: number): void | Promise<void>
}

/**
 * A lookup for an unauthenticated client. Undefined counts as a miss. A client with too many misses in a minute gets 429
 * without a lookup.
 */
export type LimitLookups = <Found>(
  client: string,
  lookUp: () => Promise<Found | undefined>,
) => Promise<Found | undefined>

/** The same for a client and each subject, such as a store, whose credentials it uses. */
export type LimitSubjects = <Found>(
  client: string,
  subject: string,
  lookUp: () => Promise<Found | undefined>,
) => Promise<Found | undefined>

/** Payment providers by name, and the keys they need. */
export type Payments = {
  providers: ReadonlyMap<string, PaymentProvider>
  production: boolean
  /** Signs the URLs of the sandbox's payment pages. */
  pageTokens: Signer
  /** Signs the sandbox's webhook calls. */
  webhookTokens: Signer
  /** Encrypts the payment credentials of stores. */
  accounts: Cipher
  /** Stops calls to a provider that fails, for each account alone. */
  circuits: Circuits
  /** How many webhooks of this instance are reading details of a payment. */
  detailReads: { running: number }
}

/** The carriers by name. */
export type Carriers = {
  byName: ReadonlyMap<string, Carrier>
  /** Encrypts the credentials of stores. */
  accounts: Cipher
  circuits: Circuits
}

/** What is needed to send events to the endpoints of merchants. */
export type OutgoingWebhooks = {
  /** Encrypts the secrets of endpoints. */
  secrets: Cipher
  guard: AddressGuard
  userAgent: string
  /** How long a receiver may take to answer. */
  callLimitMs: number
  showEvent: ShowEvent
  /** Reports a delivery that is not tried again. */
  onGivenUp(ids: GivenUpDelivery): void
  /** Reports an endpoint that was switched off by its answers. */
  onSwitchedOff(endpoint: SwitchedOffEndpoint): void
  /** Reports deliveries that ended because their endpoint is off. */
  onEnded(ended: EndedDeliveries): void
}

/** The data of an event as the API shows it, made from the rows of the snapshot. */
export type ShowEvent = (store: Store, event: StoredEvent) => unknown

export type StoredEvent = {
  id: string
  type: string
  subject: string
  sequence: number
  data: unknown
  createdAt: Date
}

export type GivenUpDelivery = { storeId: string; endpointId: string; deliveryId: string; eventId: string }

export type EndedDeliveries = { storeId: string; endpointId: string; endedDeliveries: number }

export type SwitchedOffEndpoint = { storeId: string; endpointId: string; reason: 'gone' | 'failing' }

/**
 * Hashing is slow by design, so concurrency is limited and further requests are queued. Never call it in a transaction,
 * which would hold its locks and its connection while it waits.
 */
export type PasswordHasher = {
  runQueued<Result>(client: QueuedClient, work: (hashing: Hashing) => Promise<Result>): Promise<Result>
}

export type Hashing = {
  hash(password: string): Promise<string>
  /** Without a hash, returns false after the same amount of work. */
  check(password: string, hash: string | undefined): Promise<boolean>
  /** Whether the hash was made with other cost parameters than the current ones. */
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
    /** The key is for browsers and apps, so the client is the shopper's own device. */
    isBrowserKey: boolean
    /** The language of the client, if messages are written in it. */
    language: Language | null
  }

/** A shopper with a guest token. `isNew`: the token is issued with the response to this request. */
export type Guest = { kind: 'guest'; guestId: string; isNew: boolean }

/** A signed-in customer. No session when a storefront's own server asserts the customer with `x-customer-id`. */
export type Customer = { kind: 'customer'; customerId: string; sessionHash: string | null }

export type Shopper = Guest | Customer

export type ShopperCtx<Kind extends Shopper = Shopper> = StoreCtx & {
  shopper: Kind
  /** The request has `X-Outlet-Id`. Otherwise the outlet is the default. */
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

/** Who makes a change of a store: a staff member, a program with a token, or an operator at the command line. */
export type Actor = { kind: 'staff' | 'token' | 'command'; id: string; name: string }

/** What the audit log notes about the author of a change. */
export type Author = { actor: Actor; clientAddress: string; requestId: string }

/** An unauthenticated caller of the admin API. */
export type AdminPublicCtx = Services & RequestContext & { clientAddress: string; requestId: string; userAgent: string }

export type StaffMember = { id: string; email: string; name: string; hasSecondFactor: boolean }

/** A person who is signed in. */
export type StaffCtx = AdminPublicCtx & { staff: StaffMember; sessionHash: string; sessionExpiresAt: Date; by: Author }

/** A call of the admin API about one store. */
export type AdminCtx = Services &
  RequestContext & {
    store: Store
    permissions: ReadonlySet<Permission>
    by: Author
    idempotencyKey: string | null
    ifMatch: string | null
  }

export const adminRoutes = bindRoutes<'admin', { public: AdminPublicCtx; staff: StaffCtx; store: AdminCtx }>()
