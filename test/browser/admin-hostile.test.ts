import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { newPicture } from '../../src/features/media/fixture.ts'
import { withinASecond } from '../harness.ts'
import { placeByApi } from './admin-orders.ts'
import { type StaffBrowser, staffWith } from './admin-steps.ts'
import { type BrowserFixture, browserTest } from './fixture.ts'
import { heading, sees } from './steps.ts'

/** What other people type: shoppers, colleagues, and whoever makes the files that are imported. */
const evil = `"'><img src=x onerror=alert(1)><script>alert(2)</script>\${alert(3)}`
/** Names of categories have no ">". */
const evilName = `"'<img src=x onerror=alert(4) `

const apiOf = ({ store, service }: BrowserFixture, { context }: StaffBrowser) => {
  const { publicUrl: origin = '' } = service.config
  return async (method: string, path: string, data?: unknown) => {
    const answer = await context.request.fetch(`/admin/v1/stores/${store.publicId}/${path}`, {
      ...{ method, headers: { origin }, ...(data === undefined ? {} : { data }) },
    })
    assert.ok(answer.ok(), `${method} ${path}: ${await answer.text()}`)
    return answer.status() === 204 ? null : answer.json()
  }
}

/** Writes the text into everything that has one, and returns the screens that show it. */
const fillWithEvil = async (fixture: BrowserFixture, owner: StaffBrowser): Promise<string[]> => {
  const { service, store } = fixture
  const call = apiOf(fixture, owner)
  await service.db.run`update staff set name = ${evil} where email = ${owner.email}`
  const order = await placeByApi(fixture, { name: evil })
  const [line] = order.items
  await service.db
    .run`update orders set shipping_address = shipping_address || ${JSON.stringify({ name: evil, line1: evil })}
    where store_id = ${store.id} and id = ${order.id}`
  await service.db.run`update order_line set name = ${evil} where store_id = ${store.id} and order_id = ${order.id}`
  await call('POST', `orders/${order.id}/notes`, { text: evil })
  await call('POST', `orders/${order.id}/shipments`, {
    ...{ partner: evil.slice(0, 60), trackingNumber: evil.slice(0, 60), trackingUrl: `https://a.example/?${evil}` },
  })
  await call('POST', `orders/${order.id}/deliver`, {})
  const asked = await order.call('POST', `/v1/customer/orders/${order.id}/returns`, {
    body: { items: [{ id: line?.id, quantity: 1 }], reason: evil },
  })
  assert.equal(asked.status, 201, asked.text)
  await call('POST', `orders/${order.id}/refunds`, { amount: 1, reason: evil })
  await call('POST', `orders/${order.id}/invoice`, {})
  const { customer } = await call('GET', `orders/${order.id}`)
  await call('POST', `customers/${customer.id}/notes`, { text: evil })
  const { id: category } = await call('POST', 'categories', { name: evilName })
  const product = await call('POST', 'products', {
    ...{ name: evil, categoryId: category, description: evil, vendor: evil, tags: [evil], seo: { title: evil } },
    ...{ options: [{ name: evil, values: [evil] }], images: [`https://a.example/${encodeURIComponent(evil)}`] },
    variants: [{ price: 5, stock: 1, sku: evil, barcode: evil, title: evil, options: { [evil]: evil } }],
  })
  const { items: menu } = await call('GET', 'menu')
  await call('PATCH', 'menu', { items: [...menu, { label: evil, type: 'link', target: `https://a.example/${evil}` }] })
  await call('POST', 'outlets', { name: evil })
  await call('POST', 'coupons', { code: 'EVIL', kind: 'percent', value: 5, description: evil })
  await call('PATCH', 'settings', {
    ...{ name: evil, contact: { phone: evil.slice(0, 40) }, mail: { senderName: evil.slice(0, 100) } },
    address: { line1: evil, city: evil, state: evil, postalCode: evil.slice(0, 20), country: 'IN' },
  })
  await call('POST', 'staff', { email: 'colleague@kavya.example', role: 'viewer', name: evil.slice(0, 100) })
  await call('POST', 'tokens', { name: evil.slice(0, 100), permissions: ['orders:read'] })
  await call('POST', 'keys', { kind: 'browser', name: evil.slice(0, 100) })
  await upload(fixture, owner, 'media', { name: 'a.png', buffer: await newPicture() }, { alt: evil })
  const csv = `name,price\n"${evil.replaceAll('"', '""')}",x\n`
  await upload(fixture, owner, 'jobs', { name: `${evilName}.csv`, buffer: Buffer.from(csv) }, { type: 'import' })
  return [
    ...['', 'setup', 'orders', `orders/${order.id}`, 'returns', `returns/${asked.json.id}`, 'products'],
    ...[`products/${product.id}`, 'products/new', 'categories', 'menu', 'stock', 'media', 'imports', 'customers'],
    ...[`customers/${customer.id}`, 'coupons', 'coupons/EVIL', 'coupons/new', 'reports', 'activity', 'staff'],
    ...['settings', 'settings/general', 'settings/mail', 'settings/outlets', 'settings/keys', 'settings/webhooks'],
    ...[
      `orders?q=${encodeURIComponent(evil)}`,
      `products?q=${encodeURIComponent(evil)}`,
      `orders/${encodeURIComponent(evil)}`,
    ],
    ...[`activity?show=changes&thing=${encodeURIComponent(evil)}`, `${encodeURIComponent(evil)}`],
  ]
}

const upload = async (
  { store, service }: BrowserFixture,
  { context }: StaffBrowser,
  path: string,
  { name, buffer }: { name: string; buffer: Buffer },
  fields: Record<string, string>,
) => {
  const answer = await context.request.post(`/admin/v1/stores/${store.publicId}/${path}`, {
    headers: { origin: service.config.publicUrl ?? '' },
    multipart: { ...fields, file: { name, mimeType: 'image/png', buffer } },
  })
  assert.ok(answer.ok(), await answer.text())
}

/** Collects what a browser does with a text that became a part of the page. */
const watch = async (context: BrowserContext) => {
  const found: string[] = []
  context.on('dialog', (dialog) => {
    found.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await context.exposeFunction('reportViolation', (text: string) => void found.push(`refused: ${text}`))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' on ' + location.pathname))`)
  return found
}

const injected = `[...document.querySelectorAll('script:not([src]), iframe, object, [onerror], [onload], [onclick]')]
  .concat([...document.querySelectorAll('[href], [src]')].filter((node) => /^\\s*(javascript|vbscript):/i.test(node.href ?? node.src)))
  .map((node) => node.outerHTML.slice(0, 200))`

browserTest('nothing that another person typed becomes a part of the page', async (fixture) => {
  const owner = await staffWith(fixture, 'owner', { userAgent: evil })
  const { page, context } = owner
  const screens = await fillWithEvil(fixture, owner)
  const found = await watch(context)
  for (const path of screens) {
    await owner.open(path)
    await sees(heading(page, /./))
    await page.waitForLoadState('networkidle')
    assert.deepEqual(await page.evaluate(injected), [], path)
  }
  await page.goto('/admin/account')
  await sees(page.getByText(evil.slice(0, 20)).first())
  assert.deepEqual(await page.evaluate(injected), [], 'account')
  const orderPath = screens.find((path) => path.startsWith('orders/'))
  for (const document of ['invoice', 'packing-slip']) {
    await page.goto(`/admin/v1/stores/${fixture.store.publicId}/${orderPath}/${document}`)
    await sees(page.getByText(evil).first())
    assert.deepEqual(await page.evaluate(injected), [], document)
  }
  assert.deepEqual(found, [])
})

/** A page of another origin at the same site, such as a storefront beside the service. */
const openForeignPage = async (t: TestContext, page: Page) => {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Hi</p>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
}

browserTest(
  'a page beside the service can neither show the admin page, nor read nor change anything',
  async (fixture, t) => {
    const { service, store } = fixture
    const { page } = await staffWith(fixture, 'owner')
    const api = `${service.config.publicUrl}/admin/v1`
    const inStore = `${api}/stores/${store.publicId}`
    await openForeignPage(t, page)
    const count = async () => {
      const { medium, staff, session } = await service.db.one<{ medium: number; staff: number; session: number }>`
      select (select count(*) from media where store_id = ${store.id}) as medium,
        (select count(*) from staff_role where store_id = ${store.id}) as staff,
        (select count(*) from staff_session where staff_id in (
          select staff_id from staff_role where store_id = ${store.id})) as session`
      return [medium, staff, session]
    }
    const before = await count()
    const statuses: number[] = []
    page.on('response', (response) => void statuses.push(response.status()))
    // Cookies are sent between ports of a host. Forms and plain text need no permission of the other side.
    await page.evaluate(`(async () => {
    const send = (url, options) => fetch(url, { mode: 'no-cors', credentials: 'include', ...options }).catch(() => {})
    const form = new FormData()
    form.set('file', new Blob(['x']), 'x.png')
    await send('${inStore}/media', { method: 'POST', body: form })
    await send('${inStore}/jobs', { method: 'POST', body: form })
    await send('${inStore}/staff', { method: 'POST', body: JSON.stringify({ email: 'a@evil.example', role: 'owner' }) })
    await send('${api}/session', { method: 'POST', body: '{}' })
    await send('${inStore}/orders?format=csv')
    await send('${api}/session')
  })()`)
    await withinASecond(async () => statuses.length === 6)
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 403])
    const read = `fetch('${api}/session', { credentials: 'include' }).then(() => 'read', () => 'refused')`
    assert.equal(await page.evaluate(read), 'refused')
    assert.deepEqual(await count(), before)

    await page.evaluate(`document.body.innerHTML = '<iframe src="${service.config.publicUrl}/admin"></iframe>'`)
    const frame = () => page.frames()[1]?.url() ?? ''
    await withinASecond(async () => frame().startsWith('chrome-error:'))
    assert.match(frame(), /^chrome-error:/)
  },
)
