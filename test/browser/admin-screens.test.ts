import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { takeEveryOther } from '../combinations.ts'
import { placeByApi } from './admin-orders.ts'
import { checkPage, type StaffBrowser, staffWith, windows } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { heading, sees } from './steps.ts'

/** Where `npm run pictures` wants a picture of every screen. Without it, screens are only checked. */
const { PICTURES: folder } = process.env

const people = ['Asha Rao', 'Vikram Shah', 'Meenal Joshi', 'Farid Khan', 'Lakshmi Nair', 'Rohit Das', 'Ananya Sen']
const baskets: Record<string, number>[] = [
  { 'masala-chai-blend': 2, 'cafe-au-lait-mug': 1 },
  { 'brass-diya-set': 1 },
  { 'waffle-bath-towel': 1, 'sandalwood-soap-bar': 3 },
  { 'terracotta-planter': 2, 'handmade-paper-notebook': 1 },
  { 'canvas-tote-bag': 1, 'rose-water-mist': 1 },
]

type Opened = { order: string; customer: string; product: string; orderReturn: string }

/** Makes a shop that has been selling for a month. */
const fillShop = async (fixture: BrowserFixture, owner: StaffBrowser): Promise<Opened> => {
  const { service, store } = fixture
  const call = async (method: string, path: string, data?: unknown) => {
    const { origin } = new URL(owner.page.url())
    const url = `${origin}/admin/v1/stores/${store.publicId}/${path}`
    const answer = await owner.context.request.fetch(url, { method, headers: { origin }, ...(data ? { data } : {}) })
    if (!answer.ok()) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return answer.json()
  }
  const count = folder === undefined ? 6 : 24
  const placed = []
  for (let index = 0; index < count; index++) {
    const goods = baskets[index % baskets.length] ?? {}
    const method = index % 3 === 0 ? 'cod' : 'online'
    const isPaid = index % 7 !== 5
    placed.push(await placeByApi(fixture, { goods, method, isPaid, name: people[index % people.length] ?? '' }))
  }
  const [shipped, delivered, refunded, noted] = placed as [Placed, Placed, Placed, Placed]
  for (const { id } of [shipped, delivered]) {
    await call('POST', `orders/${id}/shipments`, { partner: 'Delhivery', trackingNumber: `DL${id.slice(-6)}` })
  }
  await call('POST', `orders/${delivered.id}/deliver`, {})
  const [line] = refunded.items
  await call('POST', `orders/${refunded.id}/refunds`, {
    items: [{ id: line?.id, quantity: 1 }],
    reason: 'Arrived broken',
  })
  await call('POST', `orders/${noted.id}/notes`, { text: 'Please wrap as a present.' })
  const [returned] = delivered.items
  const { id: orderReturn } = await call('POST', 'returns', {
    ...{ orderId: delivered.id, items: [{ id: returned?.id, quantity: 1 }], reason: 'Wrong colour' },
  })
  // Older orders, so that there is something to see over time.
  for (const [index, { id }] of placed.entries()) {
    const days = Math.floor(((count - 1 - index) * 29) / count)
    await service.db.run`update orders set created_at = created_at - make_interval(days => ${days})
      where store_id = ${store.id} and id = ${id}`
  }
  const { customer } = await call('GET', `orders/${refunded.id}`)
  const { data } = await call('GET', 'products?limit=1')
  return { order: refunded.id, customer: customer.id, product: data[0].id, orderReturn }
}
type Placed = Awaited<ReturnType<typeof placeByApi>>

const screensWith = ({ order, customer, product, orderReturn }: Opened) => ({
  today: '',
  setup: 'setup',
  orders: 'orders',
  order: `orders/${order}`,
  returns: 'returns',
  return: `returns/${orderReturn}`,
  products: 'products',
  product: `products/${product}`,
  'new-product': 'products/new',
  categories: 'categories',
  menu: 'menu',
  stock: 'stock',
  media: 'media',
  imports: 'imports',
  customers: 'customers',
  customer: `customers/${customer}`,
  coupons: 'coupons',
  'new-coupon': 'coupons/new',
  reports: 'reports',
  activity: 'activity',
  settings: 'settings',
  staff: 'staff',
})

const allWindows: BrowserContextOptions[] = [
  ...windows,
  ...windows.map((window) => ({ ...window, colorScheme: window.colorScheme === 'dark' ? 'light' : 'dark' }) as const),
]

browserTest('no screen has accessibility violations or scrolls sideways', async (fixture) => {
  const owner = await staffWith(fixture, 'owner')
  await owner.open()
  const opened = await fillShop(fixture, owner)
  const screens = Object.entries(screensWith(opened))
  for (const [index, window] of (folder === undefined ? windows : allWindows).entries()) {
    const { page, open } = await staffWith(fixture, 'owner', window)
    const chosen = folder === undefined ? takeEveryOther(screens, index) : screens
    for (const [name, path] of chosen) {
      await open(path)
      await look(page, name, window)
    }
    await page.goto('/admin/account')
    await look(page, 'account', window)
  }
})

const look = async (page: Page, name: string, { viewport, colorScheme }: BrowserContextOptions) => {
  await sees(heading(page, /./))
  const where = `${name}-${viewport?.width}-${colorScheme}`
  await checkPage(page, where)
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${where}.png`) })
}
