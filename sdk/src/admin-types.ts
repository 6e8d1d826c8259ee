// Generated from the contract of the service by `npm run generate`. Do not edit.

import type { FileToUpload } from './admin-options.ts'
import type * as Storefront from './types.ts'

export type AdminToday = {
  /** Orders that wait for their payment */
  unpaid: {
    /** Counts up to 10,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
  /** Orders with something left to ship: paid, or with cash on delivery */
  toShip: {
    /** Counts up to 10,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
  /** Orders that need attention */
  attention: {
    /** Counts up to 10,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
  /** Returns that customers ask for */
  returns: {
    /** Counts up to 10,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
  /** Variants at outlets that are low in stock or sold out */
  lowStock: {
    /** Counts up to 1,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
  /** Webhook endpoints that fail, or were switched off because they did */
  failingWebhooks: {
    /** Counts up to 10,000 */
    total: number
    /** Otherwise there are more */
    totalIsExact: boolean
  } | null
}

export type OrderEventData = Storefront.OrderEventData

export type AdminOrder = {
  id: string
  /** Number shown to people */
  number: string
  status: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded'
  paymentStatus: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded'
  paymentMethod: 'online' | 'cod'
  /** `out_for_delivery` or `delivered` */
  deliveryStatus: string | null
  deliveryPartner: string | null
  /** When it should arrive */
  estimatedDelivery: string | null
  /** When it arrived */
  deliveredAt: string | null
  trackingUrl: string | null
  shipments: AdminShipment[]
  items: AdminOrderItem[]
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  currency: string
  couponCode: string | null
  /** How the order was paid; null until the payment is settled */
  payment: {
    method: string
    last4: string
    upiId: string
    reference: string
  } | null
  /** Refunds that succeeded or are pending */
  refundedTotal: number
  refunds: AdminRefund[]
  storefrontUrl: string | null
  shippingAddress: {
    name: string
    phone: string
    line1: string
    line2: string
    landmark: string
    city: string
    state: string
    postalCode: string
    country: string
  } | null
  billingAddress: {
    name: string
    phone: string
    line1: string
    line2: string
    landmark: string
    city: string
    state: string
    postalCode: string
    country: string
  } | null
  note: string
  outletId: string
  timeline: {
    at: string
    /**
     * `event`: what happened to the order. `message`: mail to the customer. `note`, `change`: by staff, programs and
     * commands
     */
    kind: 'event' | 'message' | 'note' | 'change'
    type: string
    message: string
    author: string | null
  }[]
  createdAt: string
  updatedAt: string
  /** When the order is cancelled automatically if it is still unpaid */
  expiresAt: string | null
  /** Why the merchant must decide, such as `OUT_OF_STOCK`, `DISPUTE` or `REFUND_FAILED` */
  needsAttention: string | null
  customer: {
    id: string
    name: string
    /** Empty if none */
    email: string
    /** Empty if none */
    phone: string
  }
  payments: PaymentAttempt[]
  downloads: OrderDownload[]
  messages: OrderMessage[]
  notes: OrderNote[]
  invoices: {
    number: string
    kind: 'invoice' | 'credit_note'
    refundId: string | null
    issuedAt: string
  }[]
}

export type OrderNote = {
  id: string
  text: string
  authorKind: 'staff' | 'token' | 'command'
  authorId: string
  authorName: string
  createdAt: string
}

export type ShippingCarrier = {
  /** The `carrier` of a parcel to book */
  name: string
  /** What people call it */
  label: string
}

export type AdminShipment = {
  id: string
  trackingNumber: string
  partner: string
  status: string
  /** When it should arrive */
  estimatedDelivery: string | null
  /** When it arrived */
  deliveredAt: string | null
  trackingUrl: string
  /** Order lines with quantities; empty means the whole order */
  items: {
    id: string
    quantity: number
  }[]
  updatedAt: string
  /** The carrier that it was booked with. Null: shipped in another way */
  carrier: string | null
  labelUrl: string
  pickupAt: string | null
}

export type AdminRefund = {
  /** Null if there was no money to return: the total was 0 */
  id: string | null
  amount: number
  status: 'pending' | 'succeeded' | 'failed'
  /** `provider`: it was made in the dashboard of the payment provider */
  reason: string
  /** Refunded lines of the order with their quantities; empty: an amount, or all that was left */
  items: {
    id: string
    quantity: number
  }[]
  createdAt: string
  /** Why the provider refused it */
  detail: string
  /** The provider's id of the refund */
  reference: string | null
}

export type AdminProductItem = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** Name of its category; empty if it has none */
  category: string
  /** Units that can be bought at this outlet; each untracked variant counts as 999 */
  stock: number
  /** `false` if a variant is not tracked: it is always in stock, and `stock` is not a real count */
  stockTracked: boolean
  /** Image URLs */
  images: string[]
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** Price before a reduction */
  compareAtPrice: number | null
  /** Whether a variant must be chosen to buy it */
  hasVariants: boolean
  categoryId: string | null
  vendor: string
  tags: string[]
  /** Percent */
  taxRate: number
  /** Of the only variant; empty if there are several */
  sku: string
  createdAt: string
  updatedAt: string
  /** Active variants */
  variantCount: number
}

export type AdminProduct = {
  id: string
  name: string
  description: string
  /** The lowest price of its variants at this outlet, in the store's currency */
  price: number
  /** Name of its category; empty if it has none */
  category: string
  /** Units that can be bought at this outlet; each untracked variant counts as 999 */
  stock: number
  /** `false` if a variant is not tracked: it is always in stock, and `stock` is not a real count */
  stockTracked: boolean
  /** Image URLs */
  images: string[]
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Only `ACTIVE` products are visible */
  status: string
  slug: string
  /** ISO 4217 */
  currency: string
  /** Price before a reduction */
  compareAtPrice: number | null
  /** Whether a variant must be chosen to buy it */
  hasVariants: boolean
  categoryId: string | null
  vendor: string
  tags: string[]
  /** Percent */
  taxRate: number
  /** Of the only variant; empty if there are several */
  sku: string
  createdAt: string
  updatedAt: string
  /** The images of `images` with their alternative texts, which may be empty */
  media: {
    /** The uploaded picture. Null if the image is elsewhere */
    id: string | null
    url: string
    alt: string
    width?: number
    height?: number
    /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
    sizes?: ImageSize[]
  }[]
  barcode: string
  weightGrams: number | null
  /** Of the only variant. Null: as the store says */
  lowStockThreshold: number | null
  /** Prices of outlets that differ, by outlet id */
  prices: Record<string, number>
  seo: {
    title: string
    description: string
  }
  /** Delivered as a download */
  digital: boolean
  download: {
    url?: string
    /** A name in the files folder of the store */
    file?: string
    name?: string
  } | null
  options: {
    name: string
    values: string[]
  }[]
  variants: AdminVariant[]
}

export type AdminVariant = {
  id: string
  sku: string
  title: string
  /** The chosen value of each option */
  options: Record<string, string>
  /** Where the outlet has no price of its own */
  price: number
  compareAtPrice: number | null
  /** Units that can be bought at the default outlet; 999 if not tracked */
  stock: number
  /** `false`: always in stock, units are not counted */
  stockTracked: boolean
  /** GTIN, EAN, UPC or ISBN; empty if it has none */
  barcode: string
  weightGrams: number | null
  /** URL of its own image; empty if it has none */
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  productId: string
  /** `false`: cannot be bought */
  active: boolean
  position: number
  /** Prices of outlets that differ, by outlet id */
  prices: Record<string, number>
  /** Units by outlet id */
  stockByOutlet: Record<string, number>
  /** Of the variant itself. Null: the store's */
  lowStockThreshold: number | null
  /** The uploaded picture. Null if the image is elsewhere */
  mediaId: string | null
}

export type MerchantJob = {
  id: string
  /** `import`, `export` or `products.bulk` */
  type: string
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  /** Items that were worked on, including those with faults */
  done: number
  /** 0 until it is known */
  total: number
  /** Progress from 0 to 100, also while a file is being checked */
  percent: number
  faults: {
    /** Line of the file, or number of the item, from 1 */
    line: number
    field: string
    message: string
    /** Id of the product */
    id?: string
  }[]
  result: Record<string, unknown> | null
  author: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export type AdminCategory = {
  id: string
  name: string
  slug: string
  parentId: string | null
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  /** Number of ACTIVE products directly in it */
  productCount: number
  position: number
  /** The uploaded picture. Null if the image is elsewhere */
  mediaId: string | null
}

export type Outlet = {
  id: string
  name: string
  /** Used by shoppers who choose none */
  isDefault: boolean
  createdAt: string
}

export type Menu = Storefront.Menu

export type Medium = {
  id: string
  /** The picture in its own size, without the metadata of the camera */
  url: string
  /** Name of the uploaded file */
  name: string
  alt: string
  /** Content type, such as `image/jpeg` */
  type: string
  width: number
  height: number
  animated: boolean
  /** Of the picture with all its sizes */
  bytes: number
  /** In smaller widths, as WebP, smallest first */
  sizes: ImageSize[]
  createdAt: string
}

export type MediumDetail = {
  id: string
  /** The picture in its own size, without the metadata of the camera */
  url: string
  /** Name of the uploaded file */
  name: string
  alt: string
  /** Content type, such as `image/jpeg` */
  type: string
  width: number
  height: number
  animated: boolean
  /** Of the picture with all its sizes */
  bytes: number
  /** In smaller widths, as WebP, smallest first */
  sizes: ImageSize[]
  createdAt: string
  /** What shows the picture: at most 100 of each kind */
  uses: {
    kind: 'product' | 'variant' | 'category' | 'logo'
    id: string
    name: string
  }[]
}

export type Settings = {
  id: string
  /** Cannot be changed */
  currency: string
  /** Changed with the payment accounts */
  paymentProvider: string
  name: string
  domain: string
  locale: string
  timezone: string
  logo: string
  taxIncluded: boolean
  /** Units in all unpaid orders of one customer */
  maxHeldUnits: number | null
  visitorLimit: number
  /** For how many days after the delivery customers can ask for a return. 0: never */
  returnDays: number
  lowStockThreshold: number
  /** What staff with the role `support` may refund of one order, in all. Null: nothing */
  supportRefundLimit: number | null
  /** The store's number at the tax authority, for invoices, such as a GSTIN */
  taxId: string
  /** A closed store refuses its keys. Orders are still paid, refunded and delivered */
  closed: boolean
  contact: {
    email: string
    phone: string
  }
  address: {
    line1: string
    city: string
    state: string
    postalCode: string
    country: string
  } | null
  shipping: {
    flat: number
    /** Subtotal from which shipping is free. Null: never */
    freeAbove: number | null
  }
  cashOnDelivery: {
    enabled: boolean
    /** Largest total. Null: no limit */
    maxValue: number | null
    maxUnits: number | null
    maxOpenOrders: number | null
    /** Only for customers with a confirmed phone number */
    verifiedPhone: boolean
  }
  oneTimePasswords: {
    hourlyCap: number | null
    /** Empty: all countries */
    countries: string[]
    clientLimit: number
  }
  invoices: {
    /** What the numbers of invoices begin with, such as `INV-`: letters and digits, with - or / at the end */
    prefix: string
    /** The month in which numbers begin again, behind the financial year. Null: they never do */
    yearStartMonth: number | null
  }
  mail: {
    /** Empty: the name of the store */
    senderName: string
    /** Empty: the contact address of the store */
    replyTo: string
    /** `#rrggbb`. Empty: the default */
    brandColor: string
    /** Whether each message is sent, by its name */
    messages: Record<string, boolean>
  }
}

export type Setup = {
  /** How many steps are done */
  done: number
  steps: {
    name: 'storefront' | 'payment' | 'shipping' | 'tax' | 'mail' | 'product' | 'order'
    done: boolean
    /** What is missing, or what was found */
    detail: string
  }[]
}

export type StockLevel = {
  variantId: string
  productId: string
  outletId: string
  sku: string
  /** The name of the product */
  name: string
  /** The title of the variant, or empty */
  variant: string
  /** False: always in stock, and not counted */
  tracked: boolean
  /** `available` and `reserved` together. Units of paid orders are sold, and not in it */
  onHand: number
  /** Units that unpaid orders hold */
  reserved: number
  /** Units that can be sold */
  available: number
  /** Available units at which it is low in stock */
  lowStockThreshold: number
  /** Low in stock or sold out. Not where it was never counted */
  low: boolean
}

export type StockMove = {
  id: number
  at: string
  variantId: string
  outletId: string
  /** `opening`: what was there when the ledger began */
  cause: 'opening' | 'order' | 'cancel' | 'refund' | 'return' | 'adjustment' | 'import'
  onHandChange: number
  reservedChange: number
  availableChange: number
  /** Units on hand after the move */
  onHand: number
  /** Reserved units after the move */
  reserved: number
  /** Available units after the move */
  available: number
  orderId: string | null
  reason: string | null
  author: {
    /** `command`: an operator at the command line */
    kind: 'staff' | 'token' | 'command'
    id: string
    name: string
  } | null
}

export type StoreKey = {
  id: string
  name: string
  /** `server` or `browser` */
  kind: string
  scopes: string[]
  /** Requests per minute */
  rateLimit: number
  expiresAt: string | null
  revokedAt: string | null
  createdAt: string
}

export type StoreCustomer = {
  id: string
  name: string
  /** Empty if none */
  email: string
  /** Whether the customer has proved to receive mail at `email` */
  emailVerified: boolean
  /** The verified number, otherwise the contact number */
  phone: string
  /** Whether `phone` was verified by a code and can be used for sign-in */
  phoneVerified: boolean
  /** ISO 8601, UTC */
  createdAt: string
  /** ISO 8601, UTC */
  updatedAt: string
  /** Orders that are paid or placed for cash, without cancelled ones */
  orderCount: number
  /** The totals of these orders, less refunds */
  totalSpent: number
  lastOrderAt: string | null
  erasedAt: string | null
}

export type CustomerDetails = {
  id: string
  name: string
  /** Empty if none */
  email: string
  /** Whether the customer has proved to receive mail at `email` */
  emailVerified: boolean
  /** The verified number, otherwise the contact number */
  phone: string
  /** Whether `phone` was verified by a code and can be used for sign-in */
  phoneVerified: boolean
  /** ISO 8601, UTC */
  createdAt: string
  /** ISO 8601, UTC */
  updatedAt: string
  /** Orders that are paid or placed for cash, without cancelled ones */
  orderCount: number
  /** The totals of these orders, less refunds */
  totalSpent: number
  lastOrderAt: string | null
  erasedAt: string | null
  addresses: Address[]
  /** Newest first. The customer does not see them */
  notes: CustomerNote[]
  orders: {
    data: Order[]
    /** Opaque; null on the last page */
    nextCursor: string | null
    hasMore: boolean
  }
}

export type Customer = Storefront.Customer

export type Order = Storefront.Order

export type CustomerNote = {
  id: string
  text: string
  author: string
  createdAt: string
}

export type CustomerExport = {
  exportedAt: string
  store: {
    id: string
    name: string
  }
  profile: Record<string, unknown>
  /** What the customer has confirmed, and when */
  consents: Record<string, unknown>[]
  addresses: Address[]
  notes: CustomerNote[]
  /** When each began and ends */
  sessions: Record<string, unknown>[]
  /** Lines of the cart */
  cart: Record<string, unknown>[]
  /** Products of the wishlist */
  wishlist: Record<string, unknown>[]
  /** Files that were bought */
  downloads: Record<string, unknown>[]
  /** Coupons with the number of uses */
  couponUses: Record<string, unknown>[]
  /** Mail of the last 30 days */
  messages: Record<string, unknown>[]
  /** As the customer sees them, with `payments`, `staffNotes` and `returns` */
  orders: Record<string, unknown>[]
}

export type StoreCoupon = {
  id: string
  code: string
  kind: 'percent' | 'fixed'
  /** In percent, or an amount */
  value: number
  description: string
  minSubtotal: number
  /** Null: no limit */
  usageLimit: number | null
  /** Null: no limit */
  customerLimit: number | null
  /** Ids, slugs or paths. Products below them count too */
  categories: string[]
  /** Ids or slugs. Without categories and products the coupon is for everything */
  products: string[]
  /** Customers see it in the list of coupons */
  listed: boolean
  startsAt: string | null
  endsAt: string | null
  used: number
  stopped: boolean
  stoppedAt: string | null
  /** A cart could use it now */
  active: boolean
  createdAt: string
}

export type CouponUse = {
  orderId: string
  number: string
  customerId: string
  status: string
  discount: number
  total: number
  createdAt: string
}

export type PaymentAccount = {
  provider: string
  /** New orders are paid with it */
  active: boolean
  /** Takes no real money */
  forTesting: boolean
  /** The credentials are those of test mode, where no real money moves */
  testMode: boolean
  /** All needed credentials are there */
  complete: boolean
  /** When the provider last accepted the credentials. Null: they were saved without a check */
  checkedAt: string | null
  /** What to enter at the provider, so that its events arrive. Null: it sends none */
  webhook: {
    url: string
    /** A header that each request needs */
    header: string | null
  } | null
  credentials: {
    name: string
    optional: boolean
    /** There is a value, which is never shown */
    set: boolean
  }[]
}

export type CarrierAccount = {
  carrier: string
  /** All needed credentials are there */
  complete: boolean
  credentials: {
    name: string
    optional: boolean
    /** There is a value, which is never shown */
    set: boolean
  }[]
}

export type InboxEvent = {
  id: number
  kind: 'payment' | 'delivery'
  /** The payment provider or the carrier */
  source: string
  eventId: string
  orderId: string | null
  outcome: string
  detail: string
  receivedAt: string
  /** As it was received */
  body: unknown
}

export type WebhookEndpoint = {
  id: string
  url: string
  types: string[]
  createdAt: string
  failingSince: string | null
  disabledAt: string | null
  /** `gone`, `failing` or `merchant` */
  disabledReason: string | null
  oldSecretUntil: string | null
  pausedUntil: string | null
}

export type WebhookDelivery = {
  id: string
  endpointId: string
  eventId: string
  /** Null if the event was deleted */
  type: string | null
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  nextAt: string | null
  createdAt: string
  finishedAt: string | null
  lastAttempt: {
    at: string
    /** Null if there was no answer */
    status: number | null
    durationMs: number
    /** Empty if it succeeded */
    error: string
    /** The first kilobyte of the answer */
    answer: string
  } | null
}

export type AdminReturn = {
  id: string
  orderId: string
  orderNumber: string
  status: 'requested' | 'approved' | 'rejected' | 'received' | 'refunded'
  items: {
    /** The item of the order */
    id: string
    quantity: number
  }[]
  reason: string
  /** What the store has written to the customer */
  answer: string
  refundId: string | null
  createdAt: string
  updatedAt: string
  /** Asked for by the customer, not by the store */
  byCustomer: boolean
  /** Whether the units went back to stock; null before they arrived */
  restocked: boolean | null
  refund: {
    id: string
    amount: number
    status: 'pending' | 'succeeded' | 'failed'
  } | null
}

export type SalesOfPeriod = {
  /** A day, the Monday of a week, or a month such as `2026-11` */
  period: string
  orders: number
  /** Sum of the subtotals */
  gross: number
  discount: number
  /** As charged */
  tax: number
  shipping: number
  /** Of these orders, whenever they were made */
  refunds: number
  /** Sum of the totals less refunds */
  net: number
}

export type SalesOfProduct = {
  productId: string
  name: string
  /** Orders that contain it */
  orders: number
  quantity: number
  refundedQuantity: number
  /** Sum of the line totals */
  gross: number
  discount: number
  tax: number
  /** What was charged: less the discount, plus tax that prices do not include */
  total: number
}

export type SalesOfCategory = {
  /** Null: products without a category */
  categoryId: string | null
  name: string
  /** Orders that contain it */
  orders: number
  quantity: number
  refundedQuantity: number
  /** Sum of the line totals */
  gross: number
  discount: number
  tax: number
  /** What was charged: less the discount, plus tax that prices do not include */
  total: number
}

export type SalesOfOutlet = {
  outletId: string
  name: string
  orders: number
  /** Sum of the subtotals */
  gross: number
  discount: number
  /** As charged */
  tax: number
  shipping: number
  /** Of these orders, whenever they were made */
  refunds: number
  /** Sum of the totals less refunds */
  net: number
}

export type SalesOfCoupon = {
  code: string
  orders: number
  /** Sum of the subtotals */
  gross: number
  discount: number
  /** As charged */
  tax: number
  shipping: number
  /** Of these orders, whenever they were made */
  refunds: number
  /** Sum of the totals less refunds */
  net: number
}

export type TaxOfRate = {
  /** Percent */
  rate: number
  /** What was charged, without the tax */
  taxable: number
  /** As charged */
  tax: number
  /** What was refunded, without the tax */
  refundedTaxable: number
  refundedTax: number
  /** `taxable` less `refundedTaxable` */
  netTaxable: number
  /** `tax` less `refundedTax` */
  netTax: number
}

export type CartsOfPeriod = {
  /** A day, the Monday of a week, or a month such as `2026-11` */
  period: string
  carts: number
  orders: number
  /** Carts that hold items */
  abandoned: number
  /** Orders divided by carts */
  conversion: number | null
}

export type Staff = {
  id: string
  email: string
  name: string
  role: 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer'
  /** `invited`: has not set a password yet */
  status: 'active' | 'invited'
  secondFactor: boolean
  usedAt: string | null
  createdAt: string
}

export type AdminToken = {
  id: string
  name: string
  permissions: (
    | 'catalog:read'
    | 'catalog:write'
    | 'stock:write'
    | 'orders:read'
    | 'orders:fulfil'
    | 'orders:support'
    | 'orders:write'
    | 'orders:refund'
    | 'customers:read'
    | 'customers:write'
    | 'customers:erase'
    | 'coupons:write'
    | 'settings:read'
    | 'settings:write'
    | 'secrets:write'
    | 'staff:write'
    | 'webhooks:write'
    | 'jobs:write'
    | 'reports:read'
    | 'audit:read'
  )[]
  createdAt: string
  expiresAt: string | null
  /** The last use, to the minute */
  usedAt: string | null
}

export type AuditEntry = {
  id: string
  at: string
  /** `command`: an operator at the command line */
  actorKind: 'staff' | 'token' | 'command'
  actorId: string
  actorName: string
  clientAddress: string
  /** The `x-request-id` of the call */
  requestId: string
  /** What happened, such as `product.updated` */
  action: string
  resource: string
  resourceId: string
  /** Changed fields, each with `before` and `after` */
  changes: Record<string, unknown>
}

export type StaffSession = {
  staff: {
    id: string
    name: string
    email: string
    secondFactor: boolean
  }
  stores: {
    id: string
    name: string
    role: 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer'
    permissions: (
      | 'catalog:read'
      | 'catalog:write'
      | 'stock:write'
      | 'orders:read'
      | 'orders:fulfil'
      | 'orders:support'
      | 'orders:write'
      | 'orders:refund'
      | 'customers:read'
      | 'customers:write'
      | 'customers:erase'
      | 'coupons:write'
      | 'settings:read'
      | 'settings:write'
      | 'secrets:write'
      | 'staff:write'
      | 'webhooks:write'
      | 'jobs:write'
      | 'reports:read'
      | 'audit:read'
    )[]
    currency: string
    locale: string
    timezone: string
  }[]
  /** Later if the session is used */
  expiresAt: string
}

export type AdminOrderItem = {
  id: string
  productId: string
  variantId: string
  name: string
  /** Title of the variant; empty if the product has only one */
  variant: string
  image: string
  /** The image in smaller widths, as WebP, smallest first. Only for pictures that were uploaded */
  imageSizes?: ImageSize[]
  sku: string
  quantity: number
  /** Price of one unit */
  price: number
  lineTotal: number
  discount: number
  tax: number
  digital: boolean
  /** Units in shipments that were not cancelled */
  shipped: number
  /** Units that were refunded or are being refunded */
  refunded: number
  /** Units that are still to be shipped */
  toShip: number
}

export type PaymentAttempt = {
  id: string
  provider: string
  /** `starting`, `open`, `paid`, `failed`, `closed` or `refunded` */
  status: string
  amount: number
  currency: string
  /** The provider's id of the payment session */
  reference: string | null
  /** The provider's id of the money */
  transaction: string | null
  /** The order was paid twice, and this payment is refunded */
  duplicate: boolean
  createdAt: string
  updatedAt: string
}

export type OrderDownload = {
  id: string
  itemId: string
  name: string
  used: number
  maxUses: number
  expiresAt: string | null
  createdAt: string
}

export type OrderMessage = {
  id: string
  /** Such as `order.paid` */
  name: string
  recipient: string | null
  state: 'waiting' | 'sent' | 'failed' | 'skipped'
  error: string
  createdAt: string
  finishedAt: string | null
}

export type ImageSize = Storefront.ImageSize

export type Address = Storefront.Address

/** The answer of `adminListShippingCarriers`. */
export type AdminListShippingCarriersAnswer = {
  data: ShippingCarrier[]
}

/** The answer of `adminPreviewRefund`. */
export type AdminPreviewRefundAnswer = {
  amount: number
  /** The most that the caller may refund of this order now */
  maximum: number
  currency: string
}

/** The answer of `adminResendMessage`. */
export type AdminResendMessageAnswer = {
  id: string
  message: string
  order: string
  recipient: string
}

/** The answer of `adminIssueInvoice`. */
export type AdminIssueInvoiceAnswer = {
  /** As it is printed */
  number: string
  kind: 'invoice' | 'credit_note'
  refundId: string | null
  issuedAt: string
}

/** The answer of `adminIssueCreditNote`. */
export type AdminIssueCreditNoteAnswer = {
  /** As it is printed */
  number: string
  kind: 'invoice' | 'credit_note'
  refundId: string | null
  issuedAt: string
}

/** The answer of `adminListVariants`. */
export type AdminListVariantsAnswer = {
  data: AdminVariant[]
}

/** The answer of `adminAdjustStock`. */
export type AdminAdjustStockAnswer = {
  variantId: string
  outletId: string
  /** `available` and `reserved` together. Units of paid orders are sold, and not in it */
  onHand: number
  /** Units that unpaid orders hold */
  reserved: number
  /** Units that can be sold */
  available: number
}

/** The answer of `adminListKeys`. */
export type AdminListKeysAnswer = {
  data: StoreKey[]
}

/** The answer of `adminCreateKey`. */
export type AdminCreateKeyAnswer = {
  id: string
  key: string
  scopes: string[]
  rateLimit: number | null
}

/** The answer of `adminListOrigins`. */
export type AdminListOriginsAnswer = {
  data: string[]
}

/** The answer of `adminAddOrigin`. */
export type AdminAddOriginAnswer = {
  data: string[]
}

/** The answer of `adminRotateCredential`. */
export type AdminRotateCredentialAnswer = {
  username?: string
  password?: string
  key?: string
  oldValidUntil: string | null
}

/** The answer of `adminEraseCustomer`. */
export type AdminEraseCustomerAnswer = {
  id: string
  status: 'erased' | 'erasing'
}

/** The answer of `adminListPaymentAccounts`. */
export type AdminListPaymentAccountsAnswer = {
  data: PaymentAccount[]
}

/** The answer of `adminUpdatePaymentAccount`. */
export type AdminUpdatePaymentAccountAnswer = {
  account: PaymentAccount
  /** What the provider said to a harmless call. Null: no call was needed */
  answer: string | null
}

/** The answer of `adminActivatePaymentAccount`. */
export type AdminActivatePaymentAccountAnswer = {
  account: PaymentAccount
  /** What the provider said to a harmless call. Null: no call was needed */
  answer: string | null
}

/** The answer of `adminListCarriers`. */
export type AdminListCarriersAnswer = {
  data: CarrierAccount[]
}

/** The answer of `adminUpdateCarrier`. */
export type AdminUpdateCarrierAnswer = {
  account: CarrierAccount
  /** What the carrier said. Null: no call was made */
  answer: string | null
}

/** The answer of `adminListWebhooks`. */
export type AdminListWebhooksAnswer = {
  data: WebhookEndpoint[]
}

/** The answer of `adminCreateWebhook`. */
export type AdminCreateWebhookAnswer = {
  id: string
  secret: string
}

/** The answer of `adminRotateWebhook`. */
export type AdminRotateWebhookAnswer = {
  id: string
  secret: string
  oldSecretUntil: string | null
}

/** The answer of `adminTestWebhook`. */
export type AdminTestWebhookAnswer = {
  deliveryId: string
}

/** The answer of `adminReportSales`. */
export type AdminReportSalesAnswer = {
  data: SalesOfPeriod[]
  currency: string
}

/** The answer of `adminReportProducts`. */
export type AdminReportProductsAnswer = {
  data: SalesOfProduct[]
  currency: string
}

/** The answer of `adminReportCategories`. */
export type AdminReportCategoriesAnswer = {
  data: SalesOfCategory[]
  currency: string
}

/** The answer of `adminReportOutlets`. */
export type AdminReportOutletsAnswer = {
  data: SalesOfOutlet[]
  currency: string
}

/** The answer of `adminReportCoupons`. */
export type AdminReportCouponsAnswer = {
  data: SalesOfCoupon[]
  currency: string
}

/** The answer of `adminReportTax`. */
export type AdminReportTaxAnswer = {
  data: TaxOfRate[]
  currency: string
}

/** The answer of `adminReportCarts`. */
export type AdminReportCartsAnswer = {
  data: CartsOfPeriod[]
}

/** The answer of `adminListStaff`. */
export type AdminListStaffAnswer = {
  data: Staff[]
}

/** The answer of `adminAddStaff`. */
export type AdminAddStaffAnswer = {
  staffId: string
  /** Sets the password, once, for a day. Only if the service sends no mail, and the person has no password */
  link: string | null
}

/** The answer of `adminInviteStaff`. */
export type AdminInviteStaffAnswer = {
  staffId: string
  /** Sets the password, once, for a day. Only if the service sends no mail, and the person has no password */
  link: string | null
}

/** The answer of `adminListTokens`. */
export type AdminListTokensAnswer = {
  data: AdminToken[]
}

/** The answer of `adminCreateToken`. */
export type AdminCreateTokenAnswer = {
  id: string
  name: string
  permissions: (
    | 'catalog:read'
    | 'catalog:write'
    | 'stock:write'
    | 'orders:read'
    | 'orders:fulfil'
    | 'orders:support'
    | 'orders:write'
    | 'orders:refund'
    | 'customers:read'
    | 'customers:write'
    | 'customers:erase'
    | 'coupons:write'
    | 'settings:read'
    | 'settings:write'
    | 'secrets:write'
    | 'staff:write'
    | 'webhooks:write'
    | 'jobs:write'
    | 'reports:read'
    | 'audit:read'
  )[]
  createdAt: string
  expiresAt: string | null
  /** The last use, to the minute */
  usedAt: string | null
  token: string
}

/** The answer of `adminForgotPassword`. */
export type AdminForgotPasswordAnswer = Record<string, never>

/** The answer of `adminChangePassword`. */
export type AdminChangePasswordAnswer = Record<string, never>

/** The answer of `adminListSessions`. */
export type AdminListSessionsAnswer = {
  data: {
    id: string
    createdAt: string
    usedAt: string
    expiresAt: string
    clientAddress: string
    userAgent: string
    /** The session of this request */
    current: boolean
  }[]
}

/** The answer of `adminEndOtherSessions`. */
export type AdminEndOtherSessionsAnswer = {
  /** How many */
  ended: number
}

/** The answer of `adminStartSecondFactor`. */
export type AdminStartSecondFactorAnswer = {
  secret: string
  uri: string
}

/** The answer of `adminConfirmSecondFactor`. */
export type AdminConfirmSecondFactorAnswer = {
  recoveryCodes: string[]
}

/** The answer of `adminRemoveSecondFactor`. */
export type AdminRemoveSecondFactorAnswer = Record<string, never>

/** The input of `adminListOrders`. */
export type AdminListOrdersInput = {
  status?: 'pending' | 'paid' | 'out_for_delivery' | 'delivered' | 'cancelled' | 'refunded' | undefined
  payment?: 'pending' | 'paid' | 'failed' | 'partially_refunded' | 'refunded' | undefined
  /** `none`: nothing is on its way yet */
  delivery?: 'none' | 'out_for_delivery' | 'delivered' | undefined
  /** Whether the order needs a decision of the merchant */
  attention?: boolean | undefined
  /** Only orders with something left to ship: paid, or with cash on delivery */
  toShip?: true | undefined
  outlet?: string | undefined
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** The number of an order, or the beginning of a name, a phone number, an email address or a SKU of an item */
  q?: string | undefined
  /** Newest first by default */
  sort?: '-createdAt' | 'createdAt' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminGetOrder`. */
export type AdminGetOrderInput = {
  /** The id or the number of the order */
  id: string
}

/** The input of `adminAddOrderNote`. */
export type AdminAddOrderNoteInput = {
  /** The id or the number of the order */
  id: string
  text: string
}

/** The input of `adminResolveOrder`. */
export type AdminResolveOrderInput = {
  /** The id or the number of the order */
  id: string
}

/** The input of `adminShipOrder`. */
export type AdminShipOrderInput = {
  /** The id or the number of the order */
  id: string
  /** By which the carrier reports. Empty if there is none */
  trackingNumber?: string | undefined
  /** The name of the carrier, or of who else brings it. Needed without `carrier` */
  partner?: string | undefined
  /** A page for the customer */
  trackingUrl?: string | undefined
  /** A day or a time */
  estimatedDelivery?: string | undefined
  /** Books the parcel with this account of the store, such as `shiprocket` */
  carrier?: string | undefined
  /** The carrier's id of a courier. By default the carrier chooses */
  courierId?: string | undefined
  /** Needed with `carrier` */
  weightKg?: number | undefined
  /** Default: 10. */
  lengthCm?: number | undefined
  /** Default: 10. */
  breadthCm?: number | undefined
  /** Default: 10. */
  heightCm?: number | undefined
  items?:
    | {
        /** The id of an item, or its SKU */
        id: string
        quantity: number
      }[]
    | undefined
}

/** The input of `adminLabelShipment`. */
export type AdminLabelShipmentInput = {
  /** The id or the number of the order */
  id: string
  shipmentId: string
}

/** The input of `adminPickUpShipment`. */
export type AdminPickUpShipmentInput = {
  /** The id or the number of the order */
  id: string
  shipmentId: string
}

/** The input of `adminCancelShipment`. */
export type AdminCancelShipmentInput = {
  /** The id or the number of the order */
  id: string
  shipmentId: string
}

/** The input of `adminDeliverOrder`. */
export type AdminDeliverOrderInput = {
  /** The id or the number of the order */
  id: string
}

/** The input of `adminCancelOrder`. */
export type AdminCancelOrderInput = {
  /** The id or the number of the order */
  id: string
}

/** The input of `adminRefundOrder`. */
export type AdminRefundOrderInput = {
  /** The id or the number of the order */
  id: string
  amount?: number | undefined
  items?:
    | {
        /** The id of an item, or its SKU */
        id: string
        quantity: number
      }[]
    | undefined
  /** Whether the items go back to stock. By default those do that were not shipped */
  restock?: boolean | undefined
  /** The customer sees it in the order */
  reason?: string | undefined
}

/** The input of `adminPreviewRefund`. */
export type AdminPreviewRefundInput = {
  /** The id or the number of the order */
  id: string
  amount?: number | undefined
  items?:
    | {
        /** The id of an item, or its SKU */
        id: string
        quantity: number
      }[]
    | undefined
}

/** The input of `adminResendMessage`. */
export type AdminResendMessageInput = {
  /** The id or the number of the order */
  id: string
  /** The name of a message, such as `order.paid` */
  name: string
}

/** The input of `adminIssueInvoice`. */
export type AdminIssueInvoiceInput = {
  /** The id or the number of the order */
  id: string
  /** The buyer's number at the tax authority */
  taxId?: string | undefined
}

/** The input of `adminGetInvoice`. */
export type AdminGetInvoiceInput = {
  /** The id or the number of the order */
  id: string
}

/** The input of `adminIssueCreditNote`. */
export type AdminIssueCreditNoteInput = {
  /** The id or the number of the order */
  id: string
  refundId: string
}

/** The input of `adminGetCreditNote`. */
export type AdminGetCreditNoteInput = {
  /** The id or the number of the order */
  id: string
  refundId: string
}

/** The input of `adminGetPackingSlip`. */
export type AdminGetPackingSlipInput = {
  /** The id or the number of the order */
  id: string
  /** Only the units of this shipment */
  shipmentId?: string | undefined
  /** Only the units that are still to send: in no shipment, and not refunded. Not with `shipmentId` */
  left?: boolean | undefined
}

/** The input of `adminGetPackingSlips`. */
export type AdminGetPackingSlipsInput = {
  /** Ids or numbers of up to 100 orders, with commas */
  orders: string
}

/** The input of `adminListProducts`. */
export type AdminListProductsInput = {
  /** Words or word prefixes of name, SKU, vendor, tags and texts */
  q?: string | undefined
  status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
  /** Id or slug; includes its descendants */
  category?: string | undefined
  /**
   * `out`: an active variant is sold out at an outlet. `low`: at or below its threshold, or out. Without archived
   * products, unless `status` asks for them
   */
  stock?: 'out' | 'low' | undefined
  /** Default: "newest". */
  sort?: 'newest' | 'oldest' | 'name' | '-name' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminCreateProduct`. */
export type AdminCreateProductInput = {
  name: string
  slug?: string | undefined
  description?: string | null | undefined
  /** Id, slug or path such as `Home > Kitchen`. A new path is created */
  category?: string | null | undefined
  /** Instead of `category`. Must exist */
  categoryId?: string | null | undefined
  vendor?: string | null | undefined
  images?:
    | (
        | string
        | {
            url: string
            alt?: string | undefined
          }
      )[]
    | undefined
  /** Uploaded pictures, instead of `images` */
  media?:
    | {
        id: string
        /** Without it, the picture's own */
        alt?: string | undefined
      }[]
    | undefined
  status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
  tags?: string[] | undefined
  seo?:
    | {
        title?: string | undefined
        description?: string | undefined
      }
    | undefined
  options?:
    | {
        name: string
        values: string[]
      }[]
    | undefined
  /** The file that is sold. Null: none */
  download?:
    | {
        url?: string | undefined
        file?: string | undefined
        name?: string | undefined
      }
    | null
    | undefined
  taxRate?: number | null | undefined
  sku?: string | null | undefined
  price?: number | undefined
  compareAtPrice?: number | null | undefined
  /** Prices of outlets, by outlet id. Null removes one, or all */
  prices?: Record<string, number | null> | null | undefined
  barcode?: string | null | undefined
  weightGrams?: number | null | undefined
  /** Available units at which it is low in stock. Null: the store's */
  lowStockThreshold?: number | null | undefined
  /** Units at the default outlet. Null: not tracked. Later changes are made by `stock/adjust` */
  stock?: number | null | undefined
  variants?:
    | {
        sku?: string | null | undefined
        price?: number | undefined
        compareAtPrice?: number | null | undefined
        /** Prices of outlets, by outlet id. Null removes one, or all */
        prices?: Record<string, number | null> | null | undefined
        barcode?: string | null | undefined
        weightGrams?: number | null | undefined
        /** Available units at which it is low in stock. Null: the store's */
        lowStockThreshold?: number | null | undefined
        title?: string | undefined
        options?: Record<string, string> | undefined
        image?: string | null | undefined
        /** An uploaded picture, instead of `image` */
        mediaId?: string | null | undefined
        active?: boolean | undefined
        /** Units at the default outlet. Null: not tracked. Later changes are made by `stock/adjust` */
        stock?: number | null | undefined
      }[]
    | undefined
}

/** The input of `adminGetProduct`. */
export type AdminGetProductInput = {
  productId: string
}

/** The input of `adminUpdateProduct`. */
export type AdminUpdateProductInput = {
  productId: string
  name?: string | undefined
  slug?: string | undefined
  description?: string | null | undefined
  /** Id, slug or path such as `Home > Kitchen`. A new path is created */
  category?: string | null | undefined
  /** Instead of `category`. Must exist */
  categoryId?: string | null | undefined
  vendor?: string | null | undefined
  images?:
    | (
        | string
        | {
            url: string
            alt?: string | undefined
          }
      )[]
    | undefined
  /** Uploaded pictures, instead of `images` */
  media?:
    | {
        id: string
        /** Without it, the picture's own */
        alt?: string | undefined
      }[]
    | undefined
  status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
  tags?: string[] | undefined
  seo?:
    | {
        title?: string | undefined
        description?: string | undefined
      }
    | undefined
  options?:
    | {
        name: string
        values: string[]
      }[]
    | undefined
  /** The file that is sold. Null: none */
  download?:
    | {
        url?: string | undefined
        file?: string | undefined
        name?: string | undefined
      }
    | null
    | undefined
  taxRate?: number | null | undefined
  sku?: string | null | undefined
  price?: number | undefined
  compareAtPrice?: number | null | undefined
  /** Prices of outlets, by outlet id. Null removes one, or all */
  prices?: Record<string, number | null> | null | undefined
  barcode?: string | null | undefined
  weightGrams?: number | null | undefined
  /** Available units at which it is low in stock. Null: the store's */
  lowStockThreshold?: number | null | undefined
  /** Variants to change and to add, all or none of them. Others stay as they are */
  variants?:
    | {
        /** Absent: a new variant */
        id?: string | undefined
        sku?: string | null | undefined
        price?: number | undefined
        compareAtPrice?: number | null | undefined
        /** Prices of outlets, by outlet id. Null removes one, or all */
        prices?: Record<string, number | null> | null | undefined
        barcode?: string | null | undefined
        weightGrams?: number | null | undefined
        /** Available units at which it is low in stock. Null: the store's */
        lowStockThreshold?: number | null | undefined
        title?: string | undefined
        options?: Record<string, string> | undefined
        image?: string | null | undefined
        /** An uploaded picture, instead of `image` */
        mediaId?: string | null | undefined
        active?: boolean | undefined
        /** `false`: always in stock. `true` starts to count, without units */
        stockTracked?: boolean | undefined
        /**
         * Only of a new variant: units at the default outlet, or by outlet id. Null: not tracked. Later changes are made by
         * `stock/adjust`
         */
        stock?: number | Record<string, number> | null | undefined
      }[]
    | undefined
}

/** The input of `adminArchiveProduct`. */
export type AdminArchiveProductInput = {
  productId: string
}

/** The input of `adminDuplicateProduct`. */
export type AdminDuplicateProductInput = {
  productId: string
  name?: string | undefined
  status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
}

/** The input of `adminListVariants`. */
export type AdminListVariantsInput = {
  productId: string
}

/** The input of `adminCreateVariant`. */
export type AdminCreateVariantInput = {
  productId: string
  sku?: string | null | undefined
  price?: number | undefined
  compareAtPrice?: number | null | undefined
  /** Prices of outlets, by outlet id. Null removes one, or all */
  prices?: Record<string, number | null> | null | undefined
  barcode?: string | null | undefined
  weightGrams?: number | null | undefined
  /** Available units at which it is low in stock. Null: the store's */
  lowStockThreshold?: number | null | undefined
  title?: string | undefined
  options?: Record<string, string> | undefined
  image?: string | null | undefined
  /** An uploaded picture, instead of `image` */
  mediaId?: string | null | undefined
  active?: boolean | undefined
  /** Units at the default outlet. Null: not tracked. Later changes are made by `stock/adjust` */
  stock?: number | null | undefined
}

/** The input of `adminGetVariant`. */
export type AdminGetVariantInput = {
  productId: string
  variantId: string
}

/** The input of `adminUpdateVariant`. */
export type AdminUpdateVariantInput = {
  productId: string
  variantId: string
  sku?: string | null | undefined
  price?: number | undefined
  compareAtPrice?: number | null | undefined
  /** Prices of outlets, by outlet id. Null removes one, or all */
  prices?: Record<string, number | null> | null | undefined
  barcode?: string | null | undefined
  weightGrams?: number | null | undefined
  /** Available units at which it is low in stock. Null: the store's */
  lowStockThreshold?: number | null | undefined
  title?: string | undefined
  options?: Record<string, string> | undefined
  image?: string | null | undefined
  /** An uploaded picture, instead of `image` */
  mediaId?: string | null | undefined
  active?: boolean | undefined
  /** `false`: always in stock. `true` starts to count, without units */
  stockTracked?: boolean | undefined
}

/** The input of `adminBulkProducts`. */
export type AdminBulkProductsInput = {
  ids?: string[] | undefined
  filter?:
    | {
        q?: string | undefined
        status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
        category?: string | undefined
        stock?: 'out' | 'low' | undefined
      }
    | undefined
  change: {
    /** Either `percent` or `amount`. Rounded half up, never below zero. Applies to every outlet */
    price?:
      | {
          /** Such as -10 */
          percent?: number | undefined
          /** Such as -5 */
          amount?: number | undefined
        }
      | undefined
    status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED' | undefined
    /** Id, slug or path of a category. Null: none */
    category?: string | null | undefined
    /** All tags, or those to add and remove */
    tags?:
      | string[]
      | {
          add?: string[] | undefined
          remove?: string[] | undefined
        }
      | undefined
  }
}

/** The input of `adminCreateJob`. */
export type AdminCreateJobInput = {
  file: FileToUpload
  type: 'import'
  format?: 'json' | 'jsonl' | 'csv' | 'shopify' | 'woocommerce' | undefined
  /** The file is complete: reset fields and disable variants that it leaves out */
  replace?: boolean | undefined
  /** Also set the stock of existing variants, not only of new ones */
  setStock?: boolean | undefined
  /** Skip invalid products instead of rejecting the whole file */
  skipBad?: boolean | undefined
  /** Report what would change, and write nothing */
  dryRun?: boolean | undefined
}

/** The input of `adminExportProducts`. */
export type AdminExportProductsInput = {
  format?: 'jsonl' | 'json' | 'csv' | 'shopify' | undefined
}

/** The input of `adminListCategories`. */
export type AdminListCategoriesInput = {
  /** Words or word prefixes of the name */
  q?: string | undefined
  /** Directly in this category */
  parentId?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminCreateCategory`. */
export type AdminCreateCategoryInput = {
  name: string
  slug?: string | undefined
  /** Null: at the top */
  parentId?: string | null | undefined
  image?: string | null | undefined
  /** An uploaded picture, instead of `image`. Null: none */
  mediaId?: string | null | undefined
  /** Categories are listed in this order */
  position?: number | undefined
}

/** The input of `adminGetCategory`. */
export type AdminGetCategoryInput = {
  categoryId: string
}

/** The input of `adminUpdateCategory`. */
export type AdminUpdateCategoryInput = {
  categoryId: string
  name?: string | undefined
  slug?: string | undefined
  /** Null: at the top */
  parentId?: string | null | undefined
  image?: string | null | undefined
  /** An uploaded picture, instead of `image`. Null: none */
  mediaId?: string | null | undefined
  /** Categories are listed in this order */
  position?: number | undefined
}

/** The input of `adminDeleteCategory`. */
export type AdminDeleteCategoryInput = {
  categoryId: string
}

/** The input of `adminListOutlets`. */
export type AdminListOutletsInput = {
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminCreateOutlet`. */
export type AdminCreateOutletInput = {
  name: string
}

/** The input of `adminGetOutlet`. */
export type AdminGetOutletInput = {
  outletId: string
}

/** The input of `adminUpdateOutlet`. */
export type AdminUpdateOutletInput = {
  outletId: string
  name?: string | undefined
  /** Another outlet is then no longer the default */
  isDefault?: true | undefined
}

/** The input of `adminDeleteOutlet`. */
export type AdminDeleteOutletInput = {
  outletId: string
}

/** The input of `adminUpdateMenu`. */
export type AdminUpdateMenuInput = {
  items: {
    label: string
    type: 'category' | 'product' | 'page' | 'link'
    /** A slug or an id, a path, or a URL */
    target: string
    children?:
      | {
          label: string
          type: 'category' | 'product' | 'page' | 'link'
          /** A slug or an id, a path, or a URL */
          target: string
          children?:
            | {
                label: string
                type: 'category' | 'product' | 'page' | 'link'
                /** A slug or an id, a path, or a URL */
                target: string
                children?: never[] | undefined
              }[]
            | undefined
        }[]
      | undefined
  }[]
}

/** The input of `adminListJobs`. */
export type AdminListJobsInput = {
  type?: string | undefined
  status?: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminGetJob`. */
export type AdminGetJobInput = {
  jobId: string
}

/** The input of `adminCancelJob`. */
export type AdminCancelJobInput = {
  jobId: string
}

/** The input of `adminDownloadJobFile`. */
export type AdminDownloadJobFileInput = {
  jobId: string
}

/** The input of `adminListMedia`. */
export type AdminListMediaInput = {
  /** Part of the name or the text */
  q?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminUploadMedia`. */
export type AdminUploadMediaInput = {
  file: FileToUpload
  /** Describes the picture to people who do not see it */
  alt?: string | undefined
  productId?: string | undefined
}

/** The input of `adminShowMedium`. */
export type AdminShowMediumInput = {
  mediaId: string
}

/** The input of `adminChangeMedium`. */
export type AdminChangeMediumInput = {
  mediaId: string
  /** Describes the picture to people who do not see it */
  alt?: string | undefined
}

/** The input of `adminDeleteMedium`. */
export type AdminDeleteMediumInput = {
  mediaId: string
}

/** The input of `adminUpdateSettings`. */
export type AdminUpdateSettingsInput = {
  name?: string | undefined
  domain?: string | undefined
  locale?: string | undefined
  timezone?: string | undefined
  logo?: string | undefined
  taxIncluded?: boolean | undefined
  /** Units in all unpaid orders of one customer */
  maxHeldUnits?: number | null | undefined
  visitorLimit?: number | undefined
  /** For how many days after the delivery customers can ask for a return. 0: never */
  returnDays?: number | undefined
  lowStockThreshold?: number | undefined
  /** What staff with the role `support` may refund of one order, in all. Null: nothing */
  supportRefundLimit?: number | null | undefined
  /** The store's number at the tax authority, for invoices, such as a GSTIN */
  taxId?: string | undefined
  /** A closed store refuses its keys. Orders are still paid, refunded and delivered */
  closed?: boolean | undefined
  contact?:
    | {
        email?: string | undefined
        phone?: string | undefined
      }
    | undefined
  address?:
    | {
        line1: string
        city: string
        state: string
        postalCode: string
        country: string
      }
    | undefined
  shipping?:
    | {
        flat?: number | undefined
        /** Subtotal from which shipping is free. Null: never */
        freeAbove?: number | null | undefined
      }
    | undefined
  cashOnDelivery?:
    | {
        enabled?: boolean | undefined
        /** Largest total. Null: no limit */
        maxValue?: number | null | undefined
        maxUnits?: number | null | undefined
        maxOpenOrders?: number | null | undefined
        /** Only for customers with a confirmed phone number */
        verifiedPhone?: boolean | undefined
      }
    | undefined
  oneTimePasswords?:
    | {
        hourlyCap?: number | null | undefined
        /** Empty: all countries */
        countries?: string[] | undefined
        clientLimit?: number | undefined
      }
    | undefined
  invoices?:
    | {
        /** What the numbers of invoices begin with, such as `INV-`: letters and digits, with - or / at the end */
        prefix?: string | undefined
        /** The month in which numbers begin again, behind the financial year. Null: they never do */
        yearStartMonth?: number | null | undefined
      }
    | undefined
  mail?:
    | {
        /** Empty: the name of the store */
        senderName?: string | undefined
        /** Empty: the contact address of the store */
        replyTo?: string | undefined
        /** `#rrggbb`. Empty: the default */
        brandColor?: string | undefined
        messages?: Record<string, boolean> | undefined
      }
    | undefined
}

/** The input of `adminListStock`. */
export type AdminListStockInput = {
  outletId?: string | undefined
  variantId?: string | undefined
  sku?: string | undefined
  productId?: string | undefined
  /** Words of a product on sale, as in a search of the shop, or a whole SKU */
  q?: string | undefined
  /** `out`: nothing can be sold. `low`: at or below the threshold, or out */
  stock?: 'out' | 'low' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminAdjustStock`. */
export type AdminAdjustStockInput = {
  variantId?: string | undefined
  /** In place of `variantId`, if one variant alone has it */
  sku?: string | undefined
  /** The default outlet if absent */
  outletId?: string | undefined
  /** Units to add to what can be sold */
  delta?: number | undefined
  /** Units that can be sold from now on: `available`, without those that unpaid orders hold */
  set?: number | undefined
  /**
   * Units that were counted, with those that unpaid orders hold, and without those of paid orders that wait to be sent
   */
  onHand?: number | undefined
  reason: string
}

/** The input of `adminListStockMoves`. */
export type AdminListStockMovesInput = {
  /** Required, unless there is a `sku` */
  variantId?: string | undefined
  sku?: string | undefined
  outletId?: string | undefined
  cause?: 'opening' | 'order' | 'cancel' | 'refund' | 'return' | 'adjustment' | 'import' | undefined
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminCreateKey`. */
export type AdminCreateKeyInput = {
  kind: 'server' | 'browser'
  name?: string | undefined
  scopes?:
    | (
        | 'products:read'
        | 'store:read'
        | 'cart:write'
        | 'wishlist:write'
        | 'auth:write'
        | 'customer:read'
        | 'customer:write'
        | 'checkout:write'
        | 'customers:assert'
      )[]
    | undefined
  rateLimit?: number | undefined
  /** ISO 8601, such as 2027-01-31T00:00:00Z */
  expiresAt?: string | undefined
}

/** The input of `adminUpdateKey`. */
export type AdminUpdateKeyInput = {
  keyId: string
  name?: string | undefined
  scopes?:
    | (
        | 'products:read'
        | 'store:read'
        | 'cart:write'
        | 'wishlist:write'
        | 'auth:write'
        | 'customer:read'
        | 'customer:write'
        | 'checkout:write'
        | 'customers:assert'
      )[]
    | undefined
  rateLimit?: number | undefined
}

/** The input of `adminRevokeKey`. */
export type AdminRevokeKeyInput = {
  keyId: string
}

/** The input of `adminAddOrigin`. */
export type AdminAddOriginInput = {
  origin: string
}

/** The input of `adminRemoveOrigin`. */
export type AdminRemoveOriginInput = {
  origin: string
}

/** The input of `adminRotateCredential`. */
export type AdminRotateCredentialInput = {
  kind: 'payment' | 'logistics'
  /** Default: 24. */
  overlapHours?: number | undefined
}

/** The input of `adminListCustomers`. */
export type AdminListCustomersInput = {
  /** The beginning of a name, an email or a phone number */
  q?: string | undefined
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  hasOrders?: boolean | undefined
  /** Only erased customers. Otherwise all others */
  erased?: boolean | undefined
  sort?: 'newest' | 'oldest' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminGetCustomer`. */
export type AdminGetCustomerInput = {
  customerId: string
}

/** The input of `adminUpdateCustomer`. */
export type AdminUpdateCustomerInput = {
  customerId: string
  name?: string | undefined
  /** Empty: none */
  email?: string | undefined
  /** Empty: none */
  phone?: string | undefined
}

/** The input of `adminListCustomerOrders`. */
export type AdminListCustomerOrdersInput = {
  customerId: string
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminCreateCustomerNote`. */
export type AdminCreateCustomerNoteInput = {
  customerId: string
  text: string
}

/** The input of `adminExportCustomer`. */
export type AdminExportCustomerInput = {
  customerId: string
}

/** The input of `adminEraseCustomer`. */
export type AdminEraseCustomerInput = {
  customerId: string
}

/** The input of `adminDeleteCustomerNote`. */
export type AdminDeleteCustomerNoteInput = {
  customerId: string
  noteId: string
}

/** The input of `adminListCoupons`. */
export type AdminListCouponsInput = {
  /** The beginning of the code */
  q?: string | undefined
  /** Whether a cart could use it now */
  active?: boolean | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminCreateCoupon`. */
export type AdminCreateCouponInput = {
  code: string
  kind: 'percent' | 'fixed'
  /** In percent, or an amount */
  value: number
  description?: string | undefined
  minSubtotal?: number | undefined
  /** Null: no limit */
  usageLimit?: number | null | undefined
  /** Null: no limit */
  customerLimit?: number | null | undefined
  /** Ids, slugs or paths. Products below them count too */
  categories?: string[] | undefined
  /** Ids or slugs. Without categories and products the coupon is for everything */
  products?: string[] | undefined
  /** Customers see it in the list of coupons */
  listed?: boolean | undefined
  /** A time, or a day in the store's time zone. Null: at once */
  startsAt?: string | null | undefined
  /** A time, or the last day in the store's time zone. Null: never */
  endsAt?: string | null | undefined
}

/** The input of `adminGetCoupon`. */
export type AdminGetCouponInput = {
  code: string
}

/** The input of `adminUpdateCoupon`. */
export type AdminUpdateCouponInput = {
  code: string
  kind?: 'percent' | 'fixed' | undefined
  /** In percent, or an amount */
  value?: number | undefined
  description?: string | undefined
  minSubtotal?: number | undefined
  /** Null: no limit */
  usageLimit?: number | null | undefined
  /** Null: no limit */
  customerLimit?: number | null | undefined
  /** Ids, slugs or paths. Products below them count too */
  categories?: string[] | undefined
  /** Ids or slugs. Without categories and products the coupon is for everything */
  products?: string[] | undefined
  /** Customers see it in the list of coupons */
  listed?: boolean | undefined
  /** A time, or a day in the store's time zone. Null: at once */
  startsAt?: string | null | undefined
  /** A time, or the last day in the store's time zone. Null: never */
  endsAt?: string | null | undefined
  /** A stopped coupon gives no discount to new orders */
  stopped?: boolean | undefined
}

/** The input of `adminListCouponUses`. */
export type AdminListCouponUsesInput = {
  code: string
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminUpdatePaymentAccount`. */
export type AdminUpdatePaymentAccountInput = {
  provider: string
  credentials: Record<string, string>
  /** Default: true. */
  check?: boolean | undefined
}

/** The input of `adminActivatePaymentAccount`. */
export type AdminActivatePaymentAccountInput = {
  provider: string
}

/** The input of `adminUpdateCarrier`. */
export type AdminUpdateCarrierInput = {
  carrier: string
  credentials: Record<string, string>
  /** Default: true. */
  check?: boolean | undefined
}

/** The input of `adminListInbox`. */
export type AdminListInboxInput = {
  /** Only these. Otherwise both */
  kind?: 'payment' | 'delivery' | undefined
  outcome?:
    | 'applied'
    | 'ignored'
    | 'no_effect'
    | 'duplicate_payment'
    | 'mismatch'
    | 'unknown_order'
    | 'malformed'
    | 'stale'
    | 'after_delivery'
    | 'unmatched'
    | undefined
  orderId?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminReplayEvent`. */
export type AdminReplayEventInput = {
  eventNumber: number
}

/** The input of `adminCreateWebhook`. */
export type AdminCreateWebhookInput = {
  url: string
  types: string[]
}

/** The input of `adminDeleteWebhook`. */
export type AdminDeleteWebhookInput = {
  endpointId: string
}

/** The input of `adminRotateWebhook`. */
export type AdminRotateWebhookInput = {
  endpointId: string
  force?: boolean | undefined
}

/** The input of `adminEnableWebhook`. */
export type AdminEnableWebhookInput = {
  endpointId: string
}

/** The input of `adminTestWebhook`. */
export type AdminTestWebhookInput = {
  endpointId: string
}

/** The input of `adminListDeliveries`. */
export type AdminListDeliveriesInput = {
  endpointId?: string | undefined
  state?: 'waiting' | 'delivered' | 'failed' | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
}

/** The input of `adminRedeliver`. */
export type AdminRedeliverInput = {
  deliveryId: string
}

/** The input of `adminListReturns`. */
export type AdminListReturnsInput = {
  status?: 'requested' | 'approved' | 'rejected' | 'received' | 'refunded' | undefined
  /** The id or the number of an order */
  order?: string | undefined
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminCreateReturn`. */
export type AdminCreateReturnInput = {
  /** The id or the number of the order */
  orderId: string
  items: {
    /** The id of an item of the order */
    id: string
    quantity: number
  }[]
  reason?: string | undefined
}

/** The input of `adminGetReturn`. */
export type AdminGetReturnInput = {
  id: string
}

/** The input of `adminApproveReturn`. */
export type AdminApproveReturnInput = {
  id: string
  /** The customer sees it */
  answer?: string | undefined
}

/** The input of `adminRejectReturn`. */
export type AdminRejectReturnInput = {
  id: string
  /** The customer sees it */
  answer?: string | undefined
}

/** The input of `adminReceiveReturn`. */
export type AdminReceiveReturnInput = {
  id: string
  /** `false`: the items cannot be sold again. Default: true. */
  restock?: boolean | undefined
}

/** The input of `adminRefundReturn`. */
export type AdminRefundReturnInput = {
  id: string
  amount?: number | undefined
}

/** The input of `adminReportSales`. */
export type AdminReportSalesInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** Weeks begin on Monday. The default is `day` */
  by?: 'day' | 'week' | 'month' | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportProducts`. */
export type AdminReportProductsInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** The default is 100 */
  limit?: number | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportCategories`. */
export type AdminReportCategoriesInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** The default is 100 */
  limit?: number | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportOutlets`. */
export type AdminReportOutletsInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** The default is 100 */
  limit?: number | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportCoupons`. */
export type AdminReportCouponsInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** The default is 100 */
  limit?: number | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportTax`. */
export type AdminReportTaxInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminReportCarts`. */
export type AdminReportCartsInput = {
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** Weeks begin on Monday. The default is `day` */
  by?: 'day' | 'week' | 'month' | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminAddStaff`. */
export type AdminAddStaffInput = {
  email: string
  role: 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer'
  name?: string | undefined
}

/** The input of `adminUpdateStaff`. */
export type AdminUpdateStaffInput = {
  staffId: string
  role: 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer'
}

/** The input of `adminRemoveStaff`. */
export type AdminRemoveStaffInput = {
  staffId: string
}

/** The input of `adminInviteStaff`. */
export type AdminInviteStaffInput = {
  staffId: string
}

/** The input of `adminCreateToken`. */
export type AdminCreateTokenInput = {
  name?: string | undefined
  role?: 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer' | undefined
  permissions?:
    | (
        | 'catalog:read'
        | 'catalog:write'
        | 'stock:write'
        | 'orders:read'
        | 'orders:fulfil'
        | 'orders:support'
        | 'orders:write'
        | 'orders:refund'
        | 'customers:read'
        | 'customers:write'
        | 'customers:erase'
        | 'coupons:write'
        | 'settings:read'
        | 'settings:write'
        | 'secrets:write'
        | 'staff:write'
        | 'webhooks:write'
        | 'jobs:write'
        | 'reports:read'
        | 'audit:read'
      )[]
    | undefined
  /** ISO 8601, such as 2027-01-31T00:00:00Z */
  expiresAt?: string | undefined
}

/** The input of `adminRevokeToken`. */
export type AdminRevokeTokenInput = {
  tokenId: string
}

/** The input of `adminListAudit`. */
export type AdminListAuditInput = {
  /** The id of a person or a token, or `command` */
  actor?: string | undefined
  /** A kind of thing, such as `product` */
  resource?: string | undefined
  /** The id of a thing */
  resourceId?: string | undefined
  /** Such as `product.updated` */
  action?: string | undefined
  /** A day, in the store's time zone, or a time */
  from?: string | undefined
  /** A day, which is included, or a time, which is not */
  to?: string | undefined
  /** Maximum number of items on a page. Default: 20. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `csv`: everything that matches, as one file */
  format?: 'json' | 'csv' | undefined
}

/** The input of `adminSignIn`. */
export type AdminSignInInput = {
  email: string
  password: string
  /** Of the second factor: six digits, or a recovery code */
  code?: string | undefined
}

/** The input of `adminSignInByLink`. */
export type AdminSignInByLinkInput = {
  token: string
  /** Of the second factor: six digits, or a recovery code */
  code?: string | undefined
}

/** The input of `adminForgotPassword`. */
export type AdminForgotPasswordInput = {
  email: string
}

/** The input of `adminSetPassword`. */
export type AdminSetPasswordInput = {
  token: string
  password: string
  /** Of the second factor: six digits, or a recovery code */
  code?: string | undefined
}

/** The input of `adminUpdateMe`. */
export type AdminUpdateMeInput = {
  name: string
}

/** The input of `adminChangePassword`. */
export type AdminChangePasswordInput = {
  currentPassword: string
  password: string
}

/** The input of `adminEndSession`. */
export type AdminEndSessionInput = {
  sessionId: string
}

/** The input of `adminStartSecondFactor`. */
export type AdminStartSecondFactorInput = {
  password: string
}

/** The input of `adminConfirmSecondFactor`. */
export type AdminConfirmSecondFactorInput = {
  /** Of the second factor: six digits, or a recovery code */
  code: string
}

/** The input of `adminRemoveSecondFactor`. */
export type AdminRemoveSecondFactorInput = {
  password: string
}
