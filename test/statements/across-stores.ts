/** Statements that read a table which a part of them writes, and why they get the same rows either way. */
export const readsOwnWrites: Record<string, string> = {
  'src/features/cart/add-line.sql.ts': 'the cart is read in a part before, and the written line is left out afterwards',
  'src/features/cart/cart.sql.ts': 'lines that were written or removed are left out of those that are read',
  'src/features/catalog/stock-change.sql.ts': 'the stock before is a part of its own, which comes first',
  'src/features/catalog/stock-moves.sql.ts': 'rows are only locked before they are written',
  'src/features/orders/orders.sql.ts': 'the union of old and new entries has each once; has_orders is not read',
  'src/features/outgoing-webhooks/attempt.sql.ts':
    'whether the next delivery is claimed may follow from the result of this one or not',
  'src/features/payments/refunds.sql.ts': 'the state before is a part of its own, which comes first',
  'src/features/wishlist/wishlist.sql.ts': 'the entries before are a part of their own, which comes first',
}

/** Reads that jump from store to store by an index. A distributed database gets another statement in their place. */
export const jumps: readonly string[] = [
  'src/features/mail/mail.sql.ts',
  'src/features/outgoing-webhooks/claim.sql.ts',
  'src/features/reports/sales.sql.ts',
]

/** `places`: how many statements of the file read across stores. */
export type AcrossStores = { places: number; reason: string }

/**
 * Reads across stores: the files with such statements, and why each needs them. On a distributed database all servers
 * answer, so a request of a shopper sends none of these unless its reason says so. They write and lock nothing.
 */
export const acrossStores: Record<string, AcrossStores> = {
  'src/db/due-rows.sql.ts': { places: 1, reason: 'cleanup finds expired rows, and deletes them store by store' },
  'src/features/access/cleanup.sql.ts': {
    places: 2,
    reason: 'cleanup finds expired guests and surplus keys, and deletes them store by store',
  },
  'src/features/wishlist/cleanup.sql.ts': {
    places: 1,
    reason: 'cleanup finds items of expired guests, and deletes them store by store',
  },
  'src/features/catalog/category-words.sql.ts': {
    places: 1,
    reason: 'a job finds the stores whose categories were renamed',
  },
  'src/features/catalog/word-counts.sql.ts': {
    places: 1,
    reason: 'a job finds the stores whose words are to be counted',
  },
  'src/features/catalog/stock-feed.sql.ts': {
    places: 1,
    reason: 'caches read what was sold in all stores; a distributed database is not asked',
  },
  'src/features/customers/erase.sql.ts': { places: 1, reason: 'a job finds the stores with erasures that are due' },
  'src/features/delivery/carrier-shipments.sql.ts': {
    places: 1,
    reason: 'a job finds the stores with parcels to ask about',
  },
  'src/features/mail/mail.sql.ts': { places: 2, reason: 'a job finds the stores with mail that waits' },
  'src/features/media/collect.sql.ts': { places: 1, reason: 'a job finds the stores with pictures that may be unused' },
  'src/features/merchant-jobs/merchant-jobs.sql.ts': {
    places: 1,
    reason: 'a job finds the stores with work that merchants asked for',
  },
  'src/features/orders/expiry.sql.ts': { places: 1, reason: 'a job finds the stores with orders that expire' },
  'src/features/outgoing-webhooks/claim.sql.ts': {
    places: 2,
    reason: 'a job finds the stores with deliveries that wait',
  },
  'src/features/outgoing-webhooks/switch-off.sql.ts': {
    places: 1,
    reason: 'a job finds the stores with deliveries for endpoints that are off',
  },
  'src/features/payments/payment-jobs.sql.ts': { places: 2, reason: 'jobs find the stores with payments to check' },
  'src/features/payments/refunds.sql.ts': { places: 1, reason: 'a job finds the stores with refunds that are due' },
  'src/features/payments/inbox.sql.ts': {
    places: 2,
    reason: 'a job finds events that were left over; a command names an event by its id alone',
  },
  'src/features/reports/sales.sql.ts': { places: 2, reason: 'a job finds the stores whose sums are behind' },
  'src/features/delivery/inbox.sql.ts': { places: 1, reason: 'a command names an event by its id alone' },
  'src/features/orders/store-orders.sql.ts': {
    places: 2,
    reason: 'a command names an order by its id or number alone',
  },
  'src/features/outgoing-webhooks/endpoints.sql.ts': {
    places: 1,
    reason: 'a command names an endpoint by its id alone',
  },
  'src/features/downloads/shared-files.sql.ts': {
    places: 2,
    reason: 'the start of the service looks for files that all stores shared once',
  },
  'src/features/orders/waiting.sql.ts': {
    places: 1,
    reason: 'one statement looks at the orders of all shoppers who wait for a result',
  },
  'src/features/payments/payments.sql.ts': {
    places: 1,
    reason: 'a shopper returns from a provider whose address names no store',
  },
  'src/features/doctor/doctor.sql.ts': { places: 2, reason: 'checks of the whole installation' },
  'src/features/doctor/invariants-ledger.sql.ts': { places: 2, reason: 'checks of one store or of all' },
  'src/features/doctor/invariants-money.sql.ts': { places: 9, reason: 'checks of one store or of all' },
  'src/features/doctor/invariants-sales.sql.ts': { places: 4, reason: 'checks of one store or of all' },
  'src/features/doctor/invariants-stores.sql.ts': { places: 11, reason: 'checks of one store or of all' },
  'src/features/doctor/invariants.sql.ts': { places: 13, reason: 'checks of one store or of all' },
}
