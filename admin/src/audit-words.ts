import { dateTime, money, number } from './format.ts'
import { may, type Permission, pathTo } from './session.ts'

/** The audit log in plain words. */

type Resource = {
  /** As a filter. */
  label: string
  one: string
  /** The screen that shows one, with its id unless it shows all. */
  path?: string
  hasOwnPage?: boolean
  needs?: Permission
}

const resources: Readonly<Record<string, Resource>> = {
  order: { label: 'Orders', one: 'an order', path: 'orders', hasOwnPage: true, needs: 'orders:read' },
  return: { label: 'Returns', one: 'a return', path: 'returns', hasOwnPage: true, needs: 'orders:read' },
  product: { label: 'Products', one: 'a product', path: 'products', hasOwnPage: true, needs: 'catalog:read' },
  variant: { label: 'Variants', one: 'a variant' },
  stock: { label: 'Stock', one: 'stock', path: 'stock', needs: 'catalog:read' },
  category: { label: 'Categories', one: 'a category', path: 'categories', needs: 'catalog:read' },
  media: { label: 'Pictures', one: 'a picture', path: 'media', needs: 'catalog:read' },
  catalog: { label: 'Imports', one: 'products', path: 'imports', needs: 'jobs:write' },
  job: { label: 'Bulk changes and exports', one: 'a job', path: 'imports', needs: 'jobs:write' },
  customer: { label: 'Customers', one: 'a customer', path: 'customers', hasOwnPage: true, needs: 'customers:read' },
  coupon: { label: 'Coupons', one: 'a coupon', path: 'coupons', hasOwnPage: true, needs: 'catalog:read' },
  settings: { label: 'Settings', one: 'the settings', path: 'settings', needs: 'settings:read' },
  outlet: { label: 'Outlets', one: 'an outlet', path: 'settings', needs: 'settings:read' },
  menu: { label: 'Menu of the shop', one: 'the menu of the shop', path: 'settings', needs: 'settings:read' },
  origins: {
    label: 'Addresses of the shop',
    one: 'the addresses of the shop',
    path: 'settings',
    needs: 'settings:read',
  },
  payment_account: { label: 'Payment accounts', one: 'a payment account', path: 'settings', needs: 'settings:read' },
  carrier: { label: 'Carriers', one: 'a carrier account', path: 'settings', needs: 'settings:read' },
  key: { label: 'Keys', one: 'a key', path: 'settings', needs: 'settings:read' },
  webhook_credential: { label: 'Webhook passwords', one: 'a webhook password' },
  webhook: { label: 'Webhooks', one: 'a webhook', path: 'settings', needs: 'settings:read' },
  webhook_delivery: { label: 'Webhook deliveries', one: 'a webhook delivery' },
  payment_event: { label: 'Payment events', one: 'a payment event' },
  delivery_event: { label: 'Carrier events', one: 'a carrier event' },
  staff: { label: 'Staff', one: 'a staff member', path: 'staff', needs: 'staff:write' },
  session: { label: 'Sign-ins', one: 'a session' },
  token: { label: 'Tokens of programs', one: 'a token', path: 'staff', needs: 'staff:write' },
}

const verbs: Readonly<Record<string, string>> = {
  ...{ created: 'added', updated: 'changed', deleted: 'deleted', removed: 'removed', archived: 'archived' },
  ...{ stopped: 'stopped', cancelled: 'cancelled', shipped: 'shipped', delivered: 'marked as delivered' },
  ...{ refunded: 'refunded', approved: 'approved', rejected: 'rejected', received: 'received', revoked: 'revoked' },
  ...{ invited: 'invited', imported: 'imported', adjusted: 'changed', exported: 'exported the data of' },
  ...{ erased: 'erased the data of', replayed: 'applied again', rotated: 'replaced the secret of' },
  ...{ enabled: 'switched on', redelivered: 'sent again', noted: 'wrote a note about', resolved: 'settled' },
  ...{ invoiced: 'made the invoice of', credited: 'made a credit note for', note_removed: 'removed a note about' },
}

/** Where the two words together would not be a sentence. */
const phrases: Readonly<Record<string, string>> = {
  'session.opened': 'signed in',
  'session.ended': 'signed out other devices',
  'order.message_resent': 'sent a message about an order again',
  'staff.password_changed': 'set a new password',
  'staff.second_factor_added': 'added a second factor',
  'staff.second_factor_removed': 'removed a second factor',
}

const actionsOfResource: Readonly<Record<string, readonly string[]>> = {
  order: [
    'shipped',
    'delivered',
    'cancelled',
    'refunded',
    'noted',
    'resolved',
    'message_resent',
    'invoiced',
    'credited',
  ],
  return: ['created', 'approved', 'rejected', 'received', 'refunded'],
  product: ['created', 'updated', 'archived'],
  variant: ['created', 'updated'],
  category: ['created', 'updated', 'deleted'],
  media: ['created', 'updated', 'deleted'],
  job: ['created', 'cancelled'],
  customer: ['updated', 'noted', 'note_removed', 'exported', 'erased'],
  coupon: ['created', 'updated', 'stopped'],
  outlet: ['created', 'updated', 'deleted'],
  key: ['created', 'updated', 'revoked'],
  webhook: ['created', 'rotated', 'enabled', 'deleted'],
  staff: [
    ...['created', 'invited', 'updated', 'removed', 'password_changed', 'second_factor_added'],
    'second_factor_removed',
  ],
  token: ['created', 'revoked'],
}

export const resourceOptions = Object.entries(resources).map(([name, { label }]) => [name, label] as const)

export const actionOptions = (resource: string) =>
  (actionsOfResource[resource] ?? []).map(
    (verb) => [`${resource}.${verb}`, sentence(tellAction(`${resource}.${verb}`))] as const,
  )

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** What the person did: "changed a product". */
export const tellAction = (action: string) => {
  const [resource = '', verb = ''] = action.split('.')
  const did = verbs[verb] ?? spaced(verb).toLowerCase()
  return phrases[action] ?? `${did} ${resources[resource]?.one ?? spaced(resource).toLowerCase()}`
}

/** The screen of what an entry is about. */
export const linkOfEntry = (resource: string, id: string) => {
  const { path, hasOwnPage, needs, one = '' } = resources[resource] ?? {}
  if (path === undefined || (needs !== undefined && !may(needs))) return null
  const text = `Open ${one.replace(/^an? /, 'the ')}`
  return { text, href: pathTo(hasOwnPage ? `${path}/${encodeURIComponent(id)}` : path) }
}

const spaced = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.]/g, ' ')

/** "lowStockThreshold" is "Low stock threshold". */
export const tellField = (name: string) => (name === 'url' ? 'Address' : sentence(spaced(name).toLowerCase()))

const isMoney = (field: string) =>
  /(price|amount|total|cost|shipping|minsubtotal|freeabove|maxvalue|refundlimit)$/i.test(field)
const isTime = (value: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)

/** A value in words. Lists and objects are told by their parts. */
export const tellValue = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return isMoney(field) ? money(value) : number(value)
  if (typeof value === 'string') return isTime(value) ? dateTime(value) : value
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map((one) => tellValue(field, one)).join('; ')
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== '')
    .map(([name, part]) => `${tellField(name).toLowerCase()} ${tellValue(name, part)}`)
    .join(', ')
}
