/** Nodes of the plans of statements. */

export type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
  parent?: string
  [field: string]: unknown
}

export const tablesOfShoppers = new Set([
  ...['guest', 'customer', 'session', 'address', 'wishlist_item', 'cart', 'cart_item'],
  ...['one_time_code', 'otp_request', 'sign_in_failure', 'mail_token'],
  ...['orders', 'order_line', 'order_event', 'order_search', 'shipment', 'coupon', 'payment'],
])
const queues = ['event', 'webhook_delivery', 'webhook_attempt']
const large = new Set([
  'product',
  'listing',
  'variant',
  'stock',
  'search_word',
  'price_override',
  ...queues,
  ...tablesOfShoppers,
])

/**
 * Reads a large table without an index, or reads all rows of a store or an outlet by an index without a limit. A limit does not
 * help a search for one row among them: the planner may use another index with the same first columns.
 */
export const isEndless = (node: PlanNode) => {
  if (!large.has(node['Relation Name'] ?? '')) return false
  if (node['Node Type'] === 'Seq Scan') return true
  if (!/^Index (Only )?Scan$|^Bitmap Index Scan$/.test(node['Node Type'])) return false
  const isOneThing = /\b(product|variant|cart|customer|guest|order)_id = /.test(String(node.Filter ?? ''))
  if (node.parent === 'Limit' && !isOneThing) return false
  return String(node['Index Cond'] ?? '').replaceAll(/\((?:\w+\.)?(store|outlet)_id = [^)]*\)| AND |[()]/g, '') === ''
}

export const flattenPlan = (node: PlanNode): PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap((child) => flattenPlan({ ...child, parent: node['Node Type'] })),
]
