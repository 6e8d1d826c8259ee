/** The tables that each feature owns: only it writes them and locks their rows. A new table gets its owner here. */
export const tablesOf: Record<string, readonly string[]> = {
  access: ['guest', 'kept_answer'],
  audit: ['audit'],
  accounts: [
    'address',
    'customer',
    'mail_token',
    'one_time_code',
    'otp_hour',
    'otp_request',
    'session',
    'sign_in_failure',
  ],
  cart: ['cart', 'cart_item'],
  customers: ['customer_note', 'erasure'],
  catalog: [
    'category',
    'listing',
    'price_override',
    'product',
    'search_common',
    'listing_change',
    'search_count',
    'search_word',
    'stock',
    'stock_move',
    'variant',
  ],
  delivery: ['carrier_account', 'delivery_event', 'shipment'],
  downloads: ['download', 'shared_file'],
  events: ['event'],
  invoices: ['invoice', 'invoice_series'],
  mail: ['mail'],
  media: ['media', 'media_total'],
  'merchant-jobs': ['job_file', 'merchant_job'],
  orders: ['order_counter', 'order_event', 'order_line', 'order_note', 'order_search', 'orders'],
  'outgoing-webhooks': ['webhook_attempt', 'webhook_delivery', 'webhook_endpoint'],
  payments: ['payment', 'payment_account', 'payment_event', 'refund', 'sandbox_payment'],
  pricing: ['coupon', 'coupon_use'],
  reports: ['sale_entry', 'sales_part', 'sales_quarter_hour'],
  returns: ['order_return'],
  staff: [
    'admin_token',
    'staff',
    'staff_link',
    'staff_recovery_code',
    'staff_role',
    'staff_session',
    'staff_sign_in_failure',
  ],
  stores: ['outlet', 'store', 'store_key', 'store_origin', 'webhook_credential'],
  wishlist: ['wishlist_item'],
}

/** Tables of `src/db`, which no feature uses. */
export const tablesOfDb = ['vitrine_migration']

/** What a feature does with tables of others. Each entry must be needed, and has a reason. */
export type Exception = { feature: string; tables: readonly string[]; reason: string }

export const writesOfOthers: readonly Exception[] = [
  ...['orders', 'payments'].map((feature) => ({
    feature,
    tables: ['sale_entry'],
    reason: 'fragments that reports keeps are part of the statements that write orders and refunds: a trip less',
  })),
  {
    feature: 'orders',
    tables: ['customer'],
    reason: '`markBuyer`, a fragment that accounts keeps, is part of the statement that places an order: a trip less',
  },
  {
    feature: 'staff',
    tables: ['audit'],
    reason: 'a failed sign-in is noted by one statement, so that it takes as long for an unknown address',
  },
  {
    feature: 'events',
    tables: ['mail', 'webhook_delivery'],
    reason: 'the statement that writes an event queues its deliveries and its mail, so that none can be lost',
  },
  {
    feature: 'cart',
    tables: ['guest'],
    reason: '`guestLock`, a fragment that access keeps, is part of the statement that locks the cart: a trip less',
  },
]

export const locksOfOthers: readonly Exception[] = [
  {
    feature: 'access',
    tables: ['customer'],
    reason: '`lockCustomer` makes the writes of one customer wait for each other, in every feature above',
  },
  {
    feature: 'catalog',
    tables: ['media'],
    reason: 'a picture is not removed while a product, a variant or a category begins to show it',
  },
  { feature: 'orders', tables: ['cart'], reason: 'a cart is locked before its order, and only the order names it' },
  {
    feature: 'wishlist',
    tables: ['guest'],
    reason: 'the cleanup locks the guest together with the items, so that the guest cannot be renewed meanwhile',
  },
]

/** Joins that save a round trip, or that need rows of both sides to choose. Everything else asks the owner. */
export const readsOfOthers: readonly Exception[] = [
  { feature: 'merchant-jobs', tables: ['store'], reason: 'a claimed job names its store' },
  { feature: 'staff', tables: ['store'], reason: 'the names of the stores that a person works for' },
  {
    feature: 'access',
    tables: ['customer', 'outlet', 'session', 'store', 'store_key', 'store_origin'],
    reason: 'a key, a session or an origin is recognised in one statement, at the start of every request',
  },
  {
    feature: 'access',
    tables: ['payment_account'],
    reason: 'a store is read with its account at its payment provider, so that a checkout needs no statement for it',
  },
  {
    feature: 'access',
    tables: ['cart', 'wishlist_item'],
    reason: 'the cleanup deletes guests who own nothing',
  },
  {
    feature: 'events',
    tables: ['webhook_endpoint'],
    reason: 'the statement that writes an event finds the endpoints that subscribe to it',
  },
  {
    feature: 'events',
    tables: ['mail'],
    reason: 'mails to an address are counted before another is queued',
  },
  {
    feature: 'events',
    tables: [
      ...['category', 'customer', 'order_event', 'order_line', 'orders', 'outlet', 'payment', 'price_override'],
      ...['product', 'refund', 'shipment', 'stock', 'variant'],
    ],
    reason: 'snapshots, which the owners keep, are part of the statement that writes an event: a trip less',
  },
  {
    feature: 'outgoing-webhooks',
    tables: ['event', 'store'],
    reason: 'a delivery is claimed and listed with its event, and an endpoint names its store',
  },
  { feature: 'catalog', tables: ['outlet', 'store'], reason: 'a listing has a row for each outlet of the store' },
  { feature: 'catalog', tables: ['media'], reason: 'pictures of products are named by id, and stored by path' },
  { feature: 'media', tables: ['order_line'], reason: 'a picture stays while an order shows it' },
  { feature: 'pricing', tables: ['category', 'product'], reason: 'a coupon applies to a tree of categories' },
  {
    feature: 'cart',
    tables: ['guest'],
    reason:
      '`guestWasSeenToday`, a fragment that access keeps, is part of the statement that adds to a cart: a trip less',
  },
  {
    feature: 'cart',
    tables: ['category', 'coupon', 'price_override', 'product', 'stock', 'variant'],
    reason: 'a cart is shown with current prices, stock and coupon in one statement',
  },
  {
    feature: 'wishlist',
    tables: ['cart', 'guest', 'listing', 'product'],
    reason: 'items are shown as the listing has them; the cleanup chooses them by their guest',
  },
  {
    feature: 'downloads',
    tables: ['order_line', 'orders', 'product', 'store'],
    reason: 'a download is open while its order is paid, and its file is that of the order line',
  },
  {
    feature: 'reports',
    tables: ['cart', 'cart_item', 'category', 'order_line', 'orders', 'outlet', 'payment', 'product', 'refund'],
    reason: 'reports add up what the sums do not have yet, and name products, categories and outlets',
  },
  {
    feature: 'returns',
    tables: ['orders', 'refund'],
    reason: 'a return is shown with its order number and its refund, and those of a customer are found by the orders',
  },
  {
    feature: 'payments',
    tables: ['orders'],
    reason: 'a refund changes the sales figures if its order counts as a sale, in the statement that writes it',
  },
  { feature: 'payments', tables: ['order_line'], reason: 'a refund returns the tax of lines by rate' },
  {
    feature: 'orders',
    tables: ['kept_answer'],
    reason: '`isAnswered`, a fragment that access keeps: a repeated checkout takes no number',
  },
  {
    feature: 'orders',
    tables: ['cart', 'customer', 'payment', 'refund', 'shipment', 'store'],
    reason: 'an order is shown with its shipments, refunds and customer, and named by its store',
  },
  {
    feature: 'orders',
    tables: ['audit', 'download', 'event', 'invoice', 'mail'],
    reason: 'the merchant sees everything about an order in one answer',
  },
  { feature: 'payments', tables: ['store'], reason: 'jobs and the inbox name the store of a payment' },
  {
    feature: 'checkout',
    tables: ['address', 'cart', 'category', 'coupon', 'coupon_use', 'customer', 'orders'],
    reason: 'one statement reads everything that a checkout needs besides the cart',
  },
  {
    feature: 'delivery',
    tables: ['orders', 'store'],
    reason: 'carriers know a shipment by the number of its order, and the tracking job names the store',
  },
  {
    feature: 'mail',
    tables: ['customer', 'event', 'orders', 'store'],
    reason: 'a mail is claimed with its event and the language of the customer, and resent to their present address',
  },
  { feature: 'invoices', tables: ['order_line'], reason: 'an invoice has the tax rate of each line' },
  { feature: 'pricing', tables: ['orders'], reason: 'the uses of a coupon are the orders that have it' },
  {
    feature: 'customers',
    tables: [
      ...[
        'cart',
        'cart_item',
        'coupon',
        'coupon_use',
        'customer',
        'download',
        'event',
        'mail',
        'order_note',
        'order_return',
      ],
      ...['orders', 'payment', 'product', 'refund', 'session', 'store', 'wishlist_item'],
    ],
    reason: 'a customer is shown with what was bought, and an export has everything about one person',
  },
  {
    feature: 'doctor',
    tables: Object.values(tablesOf).flat(),
    reason: 'invariants compare the tables of all features',
  },
]
