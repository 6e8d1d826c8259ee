import { deliveryFilters, orderStatuses, paymentStatuses } from '../src/features/orders/order.contract.ts'
import { firstNames } from './fill-admin.ts'

/** `path` begins behind that of the store. */
export type AdminRequest = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: unknown }

const get = (path: string): AdminRequest => ({ method: 'GET', path })
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** The products that are changed, enough for a different one on each connection. */
const changed = Array.from({ length: 8 }, (_, i) => String(11 + i).padStart(8, '0'))

/** What is measured, with the requests that are sent in turn. Their number is a multiple of that of the connections. */
export const listOperations = (storeId: number, orders: number): [name: string, requests: AdminRequest[]][] => {
  const year = `from=${dayBefore(365)}&to=${dayBefore(1)}`
  const some = (place: number) => Math.max(1, Math.floor((orders / 9) * place))
  const filters = ['status=paid', 'status=pending', 'payment=refunded', 'delivery=out_for_delivery', 'attention=true']
  return [
    [
      'order list with a filter',
      [...filters, 'status=delivered', `from=${dayBefore(60)}&to=${dayBefore(30)}`, 'toShip=true'].map((filter) =>
        get(`/orders?${filter}`),
      ),
    ],
    ['order search', Array.from({ length: 8 }, (_, i) => get(`/orders?q=${searches(some(i + 1))[i]?.[1]}`))],
    [
      'customer list with a filter',
      ['', 'hasOrders=true', 'hasOrders=false', 'sort=oldest', 'hasOrders=true&sort=oldest', 'erased=true']
        .concat(`hasOrders=true&from=${dayBefore(390)}`, 'hasOrders=false&limit=100')
        .map((filter) => get(`/customers?${filter}`)),
    ],
    ['customer search', customerSearches.map((search) => get(`/customers?${search}`))],
    [
      'product patch',
      // Every product gets one price and then the other.
      changed.flatMap((id) =>
        [100, 200].map((price) => ({
          ...{ method: 'PATCH' as const, path: `/products/prod_${storeId}_${id}`, body: { price } },
        })),
      ),
    ],
    [
      'stock adjustment',
      changed.flatMap((id) =>
        [1, 2].map((delta) => ({
          ...{ method: 'POST' as const, path: '/stock/adjust' },
          body: { variantId: `var_${storeId}_${id}`, delta, reason: 'Counted' },
        })),
      ),
    ],
    ['what needs to be done', repeated(get('/today'))],
    ['sales of a year by day', repeated(get(`/reports/sales?${year}&by=day`))],
    ['tax of a year by rate', repeated(get(`/reports/tax?${year}`))],
    ['sales of a year by product', repeated(get(`/reports/products?${year}`))],
  ]
}

/** From what one customer has to what all have, and what few have among those with orders. */
const customerSearches = [
  ...['q=customer77%40example.com', 'q=customer123', 'q=asha%20family12', 'q=asha', 'q=9198', 'q=zzzz'],
  ...['q=c&hasOrders=true', 'q=asha%20family1&hasOrders=true'],
]

const repeated = (request: AdminRequest) => Array.from({ length: 8 }, () => request)

/** Each kind of search, for the customer of an order, from what one order has to what all have. */
const searches = (n: number): [name: string, q: string][] => [
  ['the number of an order', String(n)],
  ['a whole email address', `customer${n % 97}%40example.com`],
  ['a whole phone number', `%2B9198${String(1 + (n % 97)).padStart(8, '0')}`],
  ['a whole SKU', `SKU-${String(1 + (n % 199)).padStart(8, '0')}`],
  ['a first and a last name', `${firstNames[n % firstNames.length]}%20Family${n % 13}`],
  ['a last name', `family${n % 500}`],
  ['a first name', firstNames[n % firstNames.length] ?? ''],
  ['a letter', 'm'],
  ['the beginning of all last names', 'family'],
  ['the beginning of all phone numbers', '9198'],
  ['the beginning of all SKUs', 'sku-'],
  ['the beginning of many email addresses', 'customer1'],
  ['nothing that exists', 'zzzz'],
]

/** Every filter of the list of orders with every kind of search. */
export const listCombinations = (orders: number, outlet: string): { name: string; path: string }[] => {
  const filters = [
    ...orderStatuses.map((status) => `status=${status}`),
    ...paymentStatuses.map((payment) => `payment=${payment}`),
    ...deliveryFilters.map((delivery) => `delivery=${delivery}`),
    ...[
      'toShip=true',
      'toShip=true&delivery=none&sort=createdAt',
      'attention=true',
      'attention=false',
      `outlet=${outlet}`,
      `from=${dayBefore(7)}`,
      `to=${dayBefore(300)}`,
    ],
    ...[`from=${dayBefore(200)}&to=${dayBefore(199)}`, 'sort=createdAt'],
  ]
  const found = searches(Math.ceil(orders / 2))
  return filters.flatMap((filter) =>
    found.map(([name, q]) => ({ name: `${filter}, search for ${name}`, path: `/orders?${filter}&q=${q}` })),
  )
}
