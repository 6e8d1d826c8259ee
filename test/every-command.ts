import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newFolder, runJson, type Settings } from '../src/cli/fixture.ts'
import { scopes } from '../src/features/access/storefront.contract.ts'
import { useMailCommands, useWebhookCommands } from './every-message-command.ts'
import { type Answer, callUrl, withinASecond } from './harness.ts'

export type Look = (key: string, path: string, holds: (answer: Answer) => boolean, origin?: string) => Promise<void>

/** Checks that a running service shows a change within a second. */
export const lookAt =
  (url: string): Look =>
  async (key, path, holds, origin) => {
    const headers = { 'x-store-key': key, ...(origin === undefined ? {} : { origin }) }
    let last: Answer | undefined
    const seen = await withinASecond(async () => {
      last = await callUrl(`${url}${path}`, { headers })
      return holds(last)
    })
    assert.ok(seen, `${path} still answers ${last?.status} ${last?.text.slice(0, 300)}`)
  }

export const doNotLook: Look = async () => {}

export const commandsIn =
  (place: Settings): Run =>
  (args) =>
    runJson(args, place)

export type Run = (args: readonly string[]) => ReturnType<typeof runJson>

const storeFields = ['storeId', 'outletId', 'serverKey', 'browserKey', 'paymentWebhook', 'logisticsKey']

/** Every command once, as an operator who sets up a shop would use them. `serviceUrl` is null while no service runs. */
export const useEveryCommand = async (t: TestContext, run: Run, look: Look, serviceUrl: string | null = null) => {
  const vitrine = (...args: string[]) => run(args)

  const made = await vitrine(
    ...['store', 'create', '--name', 'Blue Door', '--domain', 'bluedoor.example', '--currency', 'EUR'],
    ...['--origin', 'https://bluedoor.example'],
  )
  assert.deepEqual(Object.keys(made), storeFields)
  assert.deepEqual(Object.keys(made.paymentWebhook), ['username', 'password'])
  assert.match(made.serverKey, /^vsk_\w{32}$/)
  assert.match(made.browserKey, /^vpk_\w{32}$/)
  const inStore = ['--store', made.storeId]

  const owner = await vitrine('staff', 'create', ...inStore, '--email', 'Meera@bluedoor.example', '--role', 'owner')
  assert.deepEqual(Object.keys(owner), ['staffId', 'link'])
  assert.match(owner.link, /\/admin\/set-password\?token=stl_\w{32}$/)
  const invited = await vitrine('staff', 'invite', ...inStore, owner.staffId)
  assert.notEqual(invited.link, owner.link)
  const viewer = await vitrine('staff', 'create', ...inStore, '--email', 'ravi@bluedoor.example', '--role', 'viewer')
  assert.equal((await vitrine('staff', 'set', ...inStore, viewer.staffId, '--role', 'support')).role, 'support')
  const staff: { email: string }[] = await vitrine('staff', 'list', ...inStore)
  assert.deepEqual(
    staff.map(({ email }) => email),
    ['meera@bluedoor.example', 'ravi@bluedoor.example'],
  )
  await vitrine('staff', 'remove', ...inStore, viewer.staffId)
  assert.deepEqual(await vitrine('return', 'list', ...inStore, '--status', 'requested'), [])
  const sales = await vitrine('report', 'sales', ...inStore, '--by', 'month')
  assert.deepEqual(Object.keys(sales), ['data', 'currency'])
  for (const name of ['products', 'categories', 'outlets', 'coupons', 'tax']) {
    assert.deepEqual((await vitrine('report', name, ...inStore)).data, [], name)
  }
  assert.equal(
    (await vitrine('report', 'carts', ...inStore, '--from', '2026-11-01', '--to', '2026-11-02')).data.length,
    2,
  )
  const token = await vitrine('token', 'create', ...inStore, '--role', 'viewer', '--name', 'Till')
  assert.match(token.token, /^vat_\w{32}$/)
  assert.equal((await vitrine('token', 'list', ...inStore))[0].name, 'Till')
  assert.deepEqual(await vitrine('token', 'revoke', ...inStore, token.id), { id: token.id })

  const key = await vitrine('key', 'create', ...inStore, '--rate-limit', '100000', '--expires', '2999-01-31')
  assert.deepEqual(Object.keys(key), ['id', 'key', 'scopes', 'rateLimit'])
  assert.deepEqual([key.scopes, key.rateLimit], [scopes, 100_000])
  await look(
    key.key,
    '/v1/store',
    ({ json }) => json.name === 'Blue Door' && json.domain === 'https://bluedoor.example',
  )

  const changed = await vitrine(
    ...['store', 'set', ...inStore, '--name', 'Green Door', '--domain', 'http://localhost:5173'],
    ...['--shipping-flat', '4.5', '--shipping-free-above', '60', '--tax-included', 'yes', '--cash-on-delivery', 'yes'],
    ...['--otp-hourly-cap', '500', '--otp-countries', 'in, US', '--otp-client-limit', '20'],
  )
  assert.deepEqual([changed.name, changed.domain, changed.currency], ['Green Door', 'http://localhost:5173', 'EUR'])
  assert.deepEqual(changed.shipping, { flat: 4.5, freeAbove: 60 })
  assert.deepEqual([changed.taxIncluded, changed.paymentMethods], [true, ['online', 'cod']])
  assert.deepEqual(changed.origins, ['https://bluedoor.example'])
  assert.deepEqual(changed.otp, { hourlyCap: 500, countries: ['IN', 'US'], clientLimit: 20 })
  assert.deepEqual(await vitrine('store', 'show', ...inStore), changed)
  await look(key.key, '/v1/store', ({ json }) => json.name === 'Green Door' && json.shipping.flat === 4.5)
  const freed = await vitrine('store', 'set', ...inStore, '--otp-hourly-cap', 'none', '--otp-countries', 'all')
  assert.deepEqual(freed, { ...changed, otp: { hourlyCap: null, countries: [], clientLimit: 20 } })
  const cash = { maxValue: 500, maxUnits: 20, maxOpenOrders: 5, verifiedPhone: false }
  assert.deepEqual([changed.cashOnDelivery, changed.maxHeldUnits], [cash, 1000])
  const limited = await vitrine(
    ...['store', 'set', ...inStore, '--cod-max-value', '99.5', '--cod-max-units', '3', '--cod-max-open-orders', '1'],
    ...['--cod-verified-phone', 'yes', '--max-held-units', '50'],
  )
  assert.deepEqual(limited.cashOnDelivery, { maxValue: 99.5, maxUnits: 3, maxOpenOrders: 1, verifiedPhone: true })
  assert.equal(limited.maxHeldUnits, 50)
  const unlimited = await vitrine(
    ...['store', 'set', ...inStore, '--cod-max-value', 'none', '--cod-max-units', 'none'],
    ...['--cod-max-open-orders', 'none', '--cod-verified-phone', 'no', '--max-held-units', 'none'],
  )
  const none = { maxValue: null, maxUnits: null, maxOpenOrders: null, verifiedPhone: false }
  assert.deepEqual([unlimited.cashOnDelivery, unlimited.maxHeldUnits], [none, null])
  const { cashOnDelivery } = await vitrine('store', 'set', ...inStore, '--cod-max-value', 'default')
  assert.equal(cashOnDelivery.maxValue, 500)

  const invoicing = await vitrine(
    ...['store', 'set', ...inStore, '--support-refund-limit', '25', '--tax-id', 'DE123', '--invoice-prefix', 'R-'],
    ...['--invoice-year-start', '1'],
  )
  assert.deepEqual([invoicing.supportRefundLimit, invoicing.taxId], [25, 'DE123'])
  assert.deepEqual(invoicing.invoices, { prefix: 'R-', yearStartMonth: 1 })
  const plain = ['store', 'set', ...inStore, '--support-refund-limit', 'none', '--invoice-year-start', 'none']
  assert.deepEqual((await vitrine(...plain)).invoices, { prefix: 'R-', yearStartMonth: null })

  const { done, steps } = await vitrine('store', 'setup', ...inStore)
  assert.deepEqual([done, steps.length, steps[0].name, steps[0].done], [3, 7, 'storefront', true])

  const outlet = await vitrine('outlet', 'create', ...inStore, '--name', 'Harbour')
  assert.deepEqual(Object.keys(outlet), ['outletId'])
  await look(key.key, '/v1/store', ({ json }) => json.outlets.at(-1).id === outlet.outletId)

  const narrow = await vitrine('key', 'create', ...inStore, '--browser', '--scopes', 'products:read, store:read')
  assert.deepEqual([narrow.scopes, narrow.rateLimit], [['products:read', 'store:read'], null])
  await look(narrow.key, '/v1/menu', ({ status }) => status === 200)
  await vitrine('key', 'revoke', narrow.id)
  await look(narrow.key, '/v1/menu', ({ status }) => status === 401)
  const keys: Record<string, unknown>[] = await vitrine('key', 'list', ...inStore)
  assert.equal(keys.length, 4)
  const listed = keys.find(({ id }) => id === narrow.id)
  assert.ok(listed?.revokedAt)
  assert.deepEqual([listed.kind, listed.scopes], ['browser', narrow.scopes])
  assert.equal(JSON.stringify(keys).includes(key.key), false)

  const shopPage = 'https://www.bluedoor.example:8443'
  await look(key.key, '/v1/store', ({ status }) => status === 403, shopPage)
  const { origins } = await vitrine('origin', 'add', `${shopPage}/`, ...inStore)
  assert.deepEqual(origins, ['https://bluedoor.example', shopPage])
  await look(key.key, '/v1/store', ({ status }) => status === 200, shopPage)

  assert.deepEqual((await vitrine('origin', 'remove', shopPage, ...inStore)).origins, ['https://bluedoor.example'])
  await look(key.key, '/v1/store', ({ status }) => status === 403, shopPage)
  assert.deepEqual(await vitrine('origin', 'list', ...inStore), { origins: ['https://bluedoor.example'] })

  assert.deepEqual(await vitrine('key', 'set', key.id, '--rate-limit', '90000'), { id: key.id, rateLimit: 90_000 })
  await look(key.key, '/v1/store', ({ headers }) => headers.get('ratelimit-limit') === '90000')

  assert.deepEqual(await vitrine('store', 'close', ...inStore), { storeId: made.storeId, closed: true })
  await look(key.key, '/v1/store', ({ status }) => status === 403)
  const [listedStore] = (await vitrine('store', 'list')).filter(({ id }: { id: string }) => id === made.storeId)
  assert.ok(listedStore.closedAt)
  assert.equal((await vitrine('store', 'show', ...inStore)).closed, true)
  assert.deepEqual(await vitrine('store', 'open', ...inStore), { storeId: made.storeId, closed: false })
  await look(key.key, '/v1/store', ({ status }) => status === 200)

  const rotate = ['webhook-credential', 'rotate', ...inStore, '--kind']
  const rotated = await vitrine(...rotate, 'payment')
  assert.deepEqual(Object.keys(rotated), ['username', 'password', 'oldValidUntil'])
  assert.equal(rotated.username, made.paymentWebhook.username)
  const rotatedKey = await vitrine(...rotate, 'logistics', '--overlap', '2')
  assert.deepEqual(Object.keys(rotatedKey), ['key', 'oldValidUntil'])
  assert.ok(Math.abs(Date.parse(rotatedKey.oldValidUntil) - Date.now() - 7_200_000) < 600_000)

  const menuFile = join(newFolder(t), 'menu.json')
  const entry = { label: 'About', type: 'page', target: 'about' }
  const targets = [
    'https://blog.example/a?b=c#d',
    '/sale?x=1:2',
    '../about',
    'mailto:us@bluedoor.example',
    'tel:+49301234',
  ]
  const links = targets.map((target) => ({ label: 'Link', type: 'link', target }))
  writeFileSync(menuFile, JSON.stringify({ items: [{ ...entry, children: [entry] }, ...links] }))
  const { items } = await vitrine('menu', 'set', menuFile, ...inStore)
  assert.deepEqual([items[0].label, items[0].children[0].target], ['About', 'about'])
  await look(key.key, '/v1/menu', ({ json }) => json.items[0]?.children[0]?.id === items[0].children[0].id)

  const oat = await vitrine(
    ...['product', 'create', ...inStore, '--name', 'Oat mug', '--price', '4.5', '--stock', '12', '--category', 'Mugs'],
    ...['--sku', 'OAT', '--tag', 'new'],
  )
  assert.deepEqual([oat.slug, oat.price, oat.stock, oat.tags], ['oat-mug', 4.5, 12, ['new']])
  await look(key.key, '/v1/products/oat-mug', ({ json }) => json.price === 4.5)
  const cheaper = await vitrine('product', 'set', 'oat-mug', ...inStore, '--price', '4', '--sku', 'none')
  assert.deepEqual([cheaper.price, cheaper.sku, cheaper.tags], [4, '', ['new']])
  await vitrine('product', 'set', oat.id, ...inStore, '--variant', oat.variants[0].id, '--barcode', '978')
  const shownProduct = await vitrine('product', 'show', oat.id, ...inStore)
  assert.deepEqual([shownProduct.barcode, shownProduct.category], ['978', 'Mugs'])
  const copy = await vitrine('product', 'duplicate', oat.id, ...inStore, '--name', 'Rye mug')
  assert.deepEqual([copy.slug, copy.status], ['rye-mug', 'DRAFT'])
  assert.equal((await vitrine('product', 'archive', oat.id, ...inStore)).status, 'ARCHIVED')
  await look(key.key, '/v1/products/oat-mug', ({ status }) => status === 404)
  const found = await vitrine('product', 'list', ...inStore, '--query', 'rye', '--status', 'DRAFT')
  assert.deepEqual([found.length, found[0].id], [1, copy.id])

  const demo = await vitrine('seed', 'demo')
  assert.deepEqual(Object.keys(demo), [...storeFields, 'outlets'])
  const sold = ['stock', 'set', '--store', demo.storeId, '--product', 'applique-sling-bag']
  await look(demo.browserKey, '/v1/products/applique-sling-bag', ({ json }) => json.stock === 0)
  const stocked = await vitrine(...sold, '--quantity', '3')
  assert.deepEqual([stocked.outletId, stocked.stock], [demo.outletId, 3])
  const bySku = ['stock', 'set', '--store', demo.storeId, '--variant', 'KC-MUG-OAT', '--quantity']
  const { stock: counted } = await vitrine(...bySku, '12')
  assert.deepEqual(
    [counted, (await vitrine(...bySku, '+5')).stock, (await vitrine(...bySku, '-3')).stock],
    [12, 17, 14],
  )
  await look(demo.browserKey, '/v1/products/applique-sling-bag', ({ json }) => json.stock === 3)
  const mug = ['--store', demo.storeId, '--variant', 'KC-MUG-OAT']
  const adjusted = await vitrine('stock', 'adjust', ...mug, '--delta', '-2', '--reason', 'Two broken in the shop')
  assert.deepEqual([adjusted.stock, adjusted.available], [12, 12])
  const [move] = await vitrine('stock', 'moves', ...mug, '--limit', '1')
  assert.deepEqual([move.cause, move.availableChange, move.available], ['adjustment', -2, 12])
  assert.deepEqual([move.reason, move.author.kind], ['Two broken in the shop', 'command'])
  const shelf = await vitrine('stock', 'count', ...mug, '--units', '15')
  assert.deepEqual([shelf.onHand, shelf.available], [15, 15])
  const threshold = await vitrine('stock', 'threshold', ...mug, '--units', '20')
  assert.deepEqual(threshold, { variantId: adjusted.variantId, lowStockThreshold: 20 })
  assert.equal((await vitrine('stock', 'threshold', ...mug, '--units', 'store')).lowStockThreshold, null)
  await look(demo.browserKey, '/v1/products?inStock=true&limit=100', ({ json }) =>
    json.some(({ slug }: { slug: string }) => slug === 'applique-sling-bag'),
  )

  const coupon = await vitrine(
    'coupon',
    'create',
    ...inStore,
    '--code',
    'flat5',
    '--fixed',
    '5',
    '--min-subtotal',
    '50',
  )
  assert.deepEqual([coupon.code, coupon.value, coupon.minSubtotal], ['FLAT5', 5, 50])
  assert.deepEqual(await vitrine('coupon', 'list', ...inStore), [coupon])
  const stopped = await vitrine('coupon', 'stop', 'FLAT5', ...inStore)
  assert.deepEqual({ ...stopped, stoppedAt: null }, coupon)
  assert.ok(stopped.stoppedAt)

  const picture = join(newFolder(t), 'bag.png')
  // One pixel.
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  writeFileSync(picture, Buffer.from(pixel, 'base64'))
  const inDemo = ['--store', demo.storeId]
  const upload = ['media', 'upload', picture, ...inDemo, '--product', 'applique-sling-bag', '--alt', 'A bag']
  const [uploaded] = await vitrine(...upload)
  assert.deepEqual([uploaded.name, uploaded.alt, uploaded.type], ['bag.png', 'A bag', 'image/png'])
  await look(demo.browserKey, '/v1/products/applique-sling-bag', ({ json }) => json.images.at(-1) === uploaded.url)
  assert.deepEqual(await vitrine('media', 'list', ...inDemo), [uploaded])
  writeFileSync(picture, Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from('other')]))
  const [other] = await vitrine('media', 'upload', picture, ...inDemo)
  assert.deepEqual(await vitrine('media', 'delete', other.id, ...inDemo), { id: other.id })

  await useWebhookCommands(t, { run, inStore, isServed: serviceUrl !== null })
  await useMailCommands(t, { run, demo, serviceUrl })

  assert.deepEqual(await vitrine('migrate'), { applied: [] })
  const report = await vitrine('doctor')
  assert.equal(report.healthy, true, JSON.stringify(report))
}
