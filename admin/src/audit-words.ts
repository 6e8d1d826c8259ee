import { dateTime, money, number } from './format.ts'
import { may, type Permission, pathTo } from './session.ts'

/** The audit log in plain words. */

/** As a filter, as one of them, and the screen that shows it: with its id after a slash. */
type Resource = readonly [label: string, one: string, path?: string]

const resources: Readonly<Record<string, Resource>> = {
  order: ['Orders', 'an order', 'orders/'],
  return: ['Returns', 'a return', 'returns/'],
  product: ['Products', 'a product', 'products/'],
  variant: ['Variants', 'a variant'],
  stock: ['Stock', 'stock', 'stock'],
  category: ['Categories', 'a category', 'categories'],
  media: ['Pictures', 'a picture', 'media'],
  catalog: ['Imports', 'products', 'imports'],
  job: ['Bulk changes and exports', 'a job', 'imports'],
  customer: ['Customers', 'a customer', 'customers/'],
  coupon: ['Coupons', 'a coupon', 'coupons/'],
  settings: ['Settings', 'the settings', 'settings'],
  outlet: ['Outlets', 'an outlet', 'settings'],
  menu: ['Menu of the shop', 'the menu of the shop', 'menu'],
  origins: ['Addresses of the shop', 'the addresses of the shop', 'settings'],
  payment_account: ['Payment accounts', 'a payment account', 'settings'],
  carrier: ['Carriers', 'a carrier account', 'settings'],
  key: ['Keys', 'a key', 'settings'],
  webhook_credential: ['Webhook passwords', 'a webhook password'],
  webhook: ['Webhooks', 'a webhook', 'settings'],
  webhook_delivery: ['Webhook deliveries', 'a webhook delivery'],
  payment_event: ['Payment events', 'a payment event'],
  delivery_event: ['Carrier events', 'a carrier event'],
  staff: ['Staff', 'a staff member', 'staff'],
  session: ['Sign-ins', 'a session'],
  token: ['Tokens of programs', 'a token', 'staff'],
}

/** Where the word of the log is not the best one. */
const verbs: Readonly<Record<string, string>> = {
  ...{ created: 'added', updated: 'changed', delivered: 'marked as delivered', adjusted: 'changed' },
  ...{ exported: 'exported the data of', erased: 'erased the data of', replayed: 'applied again' },
  ...{ rotated: 'replaced the secret of', enabled: 'switched on', redelivered: 'sent again' },
  ...{ noted: 'wrote a note about', note_removed: 'removed a note about', resolved: 'settled' },
  ...{ invoiced: 'made the invoice of', credited: 'made a credit note for', parcel_cancelled: 'cancelled a parcel of' },
  ...{ parcel_labelled: 'had a label made for', parcel_pickup: 'asked for a pickup of' },
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
    ...['shipped', 'parcel_labelled', 'parcel_pickup', 'parcel_cancelled', 'delivered', 'cancelled', 'refunded'],
    ...['noted', 'resolved', 'message_resent', 'invoiced', 'credited'],
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

export const resourceOptions = Object.entries(resources).map(([name, [label]]) => [name, label] as const)

export const actionOptions = (resource: string) =>
  (actionsOfResource[resource] ?? []).map(
    (verb) => [`${resource}.${verb}`, sentence(tellAction(`${resource}.${verb}`))] as const,
  )

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** What the person did: "changed a product". */
export const tellAction = (action: string) => {
  const [resource = '', verb = ''] = action.split('.')
  const did = verbs[verb] ?? spaced(verb).toLowerCase()
  return phrases[action] ?? `${did} ${resources[resource]?.[1] ?? spaced(resource).toLowerCase()}`
}

/** The screen of what an entry is about. */
export const linkOfEntry = (resource: string, id: string) => {
  const [, one = '', path = ''] = resources[resource] ?? []
  const [screen = ''] = path.split('/')
  if (screen === '' || !may(neededFor[screen] ?? 'catalog:read')) return null
  const text = `Open ${one.replace(/^an? /, 'the ')}`
  return { text, href: pathTo(path === screen ? path : path + encodeURIComponent(id)) }
}

/** Other screens need the catalog. */
const neededFor: Readonly<Record<string, Permission>> = {
  ...{ orders: 'orders:read', returns: 'orders:read', customers: 'customers:read', imports: 'jobs:write' },
  ...{ settings: 'settings:read', staff: 'staff:write' },
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
