import assert from 'node:assert/strict'

/** A running service of an older version, with its command line. */
export type Old = {
  version: string
  url: string
  placeFile(name: string, text: string): void
  /** The one-time password that was sent to a phone. */
  codeFor(phone: string): string
  // biome-ignore lint/suspicious/noExplicitAny: what a command answers is read as it is.
  run(...args: string[]): any
  importProducts(storeId: string, products: object[]): void
  stop(): Promise<void>
}

type Headers = Record<string, string>

const address = {
  ...{ name: 'Asha', phone: '+919876543210', line1: '12 Temple Road' },
  ...{ city: 'Bengaluru', postalCode: '560001', country: 'IN' },
}

/** What happens in two stores before the upgrade. Answers what the test has to know of it. */
export const liveInShop = async (old: Old) => {
  const call = async (method: string, path: string, headers: Headers, body?: unknown) => {
    const answer = await fetch(`${old.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.status < 400, `${method} ${path}: ${answer.status} ${text}`)
    return { headers: answer.headers, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null }
  }

  const shop = openStore(old, 'Blue Door', 'INR', ['--origin', 'https://bluedoor.example'])
  const { storeId } = shop
  old.run('store', 'set', '--store', storeId, '--shipping-flat', '50', '--cash-on-delivery', 'yes')
  old.run('store', 'set', '--store', storeId, '--otp-hourly-cap', '100')
  const { outletId } = old.run('outlet', 'create', '--store', storeId, '--name', 'Pune')
  const dearer = { prices: { [outletId]: 120 }, stock: { [outletId]: 7 } }
  old.importProducts(storeId, [{ name: 'Kettle', slug: 'kettle', price: 110, ...dearer }])
  old.run('coupon', 'create', '--store', storeId, '--code', 'TEA10', '--percent', '10', '--limit', '5')
  old.run('coupon', 'create', '--store', storeId, '--code', 'FLAT50', '--fixed', '50', '--per-customer', '1')
  const revoked = old.run('key', 'create', '--store', storeId, '--rate-limit', '120')
  old.run('key', 'revoke', revoked.id)
  const other = openStore(old, 'Red Window', 'EUR', [])
  old.placeFile('book.txt', 'Once upon a time')
  old.placeFile('map.txt', 'Here be dragons')

  const key = { 'x-store-key': shop.serverKey }
  const asCustomer = (token: string) => ({ ...key, authorization: `Bearer ${token}` })
  const product = async (slug: string) => (await call('GET', `/v1/products/${slug}`, key)).json
  const signUp = async (name: string) => {
    const body = { name, email: `${name.toLowerCase()}@bluedoor.example`, password: 'seven wooden spoons' }
    const { json } = await call('POST', '/v1/signup', key, body)
    return { id: json.user.id as string, token: json.token as string, ...asCustomer(json.token) }
  }
  type Customer = Awaited<ReturnType<typeof signUp>>
  const as = ({ id: _, token, ...headers }: Customer): Headers => (token ? headers : {})

  const order = async (customer: Customer, goods: Record<string, number>, more: object = {}, headers: Headers = {}) => {
    for (const [slug, quantity] of Object.entries(goods)) {
      const { id, variants } = await product(slug)
      await call('POST', '/v1/cart', as(customer), { productId: id, variantId: variants[0].id, quantity })
    }
    const body = { shippingAddress: address, ...more }
    const { json } = await call('POST', '/v1/checkout', { ...as(customer), ...headers }, body)
    return { body, answer: json, id: json.order.id as string, page: json.payment?.redirectUrl as string | undefined }
  }
  const choose = async (page: string | undefined, choice: string) => {
    const { pathname } = new URL(page ?? '')
    const form = new URLSearchParams({ choice })
    const { status } = await fetch(`${old.url}${pathname}`, { method: 'POST', body: form, redirect: 'manual' })
    assert.equal(status, 303)
  }
  const paid = async (customer: Customer, goods: Record<string, number>, more?: object) => {
    const placed = await order(customer, goods, more)
    await choose(placed.page, 'success')
    return placed.id
  }
  let reports = 0
  const report = (orderId: string, status: string, trackingNumber: string) =>
    call(
      'POST',
      '/webhook/logistics/carrier',
      { 'x-api-key': shop.logisticsKey },
      {
        ...{ eventId: `carrier-${++reports}`, orderId, trackingNumber, status, partner: 'Bluebird' },
        occurredAt: new Date().toISOString(),
      },
    )

  const asha = await signUp('Asha')
  await call('POST', '/v1/customer/addresses', as(asha), { ...address, label: 'Home', isDefault: true })
  const wished = await product('lamp')
  await call('POST', '/v1/wishlist', as(asha), { productId: wished.id })
  const delivered = await paid(asha, { mug: 2 })
  old.run('order', 'ship', delivered, '--tracking', 'BB-1', '--partner', 'Bluebird')
  await report(delivered, 'in_transit', 'BB-1')
  await report(delivered, 'delivered', 'BB-1')
  const onItsWay = await paid(asha, { mug: 1, lamp: 1 })
  old.run('order', 'ship', onItsWay, '--tracking', 'BB-2', '--partner', 'Bluebird')
  await report(onItsWay, 'out_for_delivery', 'BB-2')
  const withFile = await paid(asha, { book: 1 }, { couponCode: 'TEA10' })
  const [download] = (await call('GET', '/v1/downloads', as(asha))).json.data
  await call('GET', `/v1/downloads/${download.id}`, as(asha))
  const refunded = await paid(asha, { lamp: 1 })
  old.run('order', 'refund', refunded)

  const ravi = await signUp('Ravi')
  const failed = await order(ravi, { mug: 1 })
  await choose(failed.page, 'failure')
  const meera = await signUp('Meera')
  const cancelled = await order(meera, { shirt: 1 })
  await call('POST', `/v1/customer/orders/${cancelled.id}/cancel`, as(meera))
  const cash = await order(meera, { lamp: 1 }, { paymentMethod: 'cod' })
  const kabir = await signUp('Kabir')
  const replaced = await order(kabir, { mug: 1 }, { couponCode: 'FLAT50' })
  const idempotencyKey = 'checkout-of-kabir'
  const pending = await order(kabir, { lamp: 1 }, { couponCode: 'FLAT50' }, { 'idempotency-key': idempotencyKey })

  const phone = '+919812345678'
  await call('POST', '/v1/auth/otp/request', key, { phone })
  const byPhone = await call('POST', '/v1/auth/otp/verify', key, { phone, otp: old.codeFor(phone) })
  const waitingPhone = '+919812345679'
  await call('POST', '/v1/auth/otp/request', key, { phone: waitingPhone })
  await fetch(`${old.url}/v1/signin`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'asha@bluedoor.example', password: 'not the one' }),
  })

  const guestToken = (await call('GET', '/v1/cart', key)).headers.get('x-guest-token') as string
  const shirt = await product('shirt')
  const mug = await product('mug')
  const asGuest = { ...key, 'x-guest-token': guestToken }
  await call('POST', '/v1/cart', asGuest, {
    items: [
      { productId: shirt.id, variantId: shirt.variants[1].id, quantity: 1 },
      { productId: mug.id, quantity: 3 },
    ],
    couponCode: 'TEA10',
  })
  const { id: _cart, ...zoya } = await signUp('Zoya')
  await call('POST', '/v1/cart', asCustomer(zoya.token), { productId: mug.id, quantity: 2 })

  const login = Buffer.from(`${shop.paymentWebhook.username}:${shop.paymentWebhook.password}`).toString('base64')
  await fetch(`${old.url}/webhook/payment`, {
    method: 'POST',
    headers: { authorization: `Basic ${login}`, 'x-store-id': storeId, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ eventId: 'evt-unknown', orderId: 'ord_unknown', transactionId: 'txn-1', status: 'success', amount: 1 },
      ...{ currency: 'INR', method: 'card', last4: '4242', upiId: '', reference: '', occurredAt: new Date() },
    }),
  })
  return {
    madeAt: new Date().toISOString(),
    store: { id: storeId, serverKey: shop.serverKey, browserKey: shop.browserKey, revokedKey: revoked.key },
    other: { id: other.storeId, serverKey: other.serverKey },
    pune: outletId as string,
    products: ['book', 'kettle', 'lamp', 'mug', 'shirt'],
    sessions: { asha: asha.token, kabir: kabir.token, zoya: zoya.token, byPhone: byPhone.json.token as string },
    guestToken,
    waitingCode: { phone: waitingPhone, otp: old.codeFor(waitingPhone) },
    orders: {
      ...{ delivered, onItsWay, withFile, refunded, failed: failed.id, cancelled: cancelled.id, cash: cash.id },
      ...{ replaced: replaced.id, pending: pending.id },
    },
    download: { id: download.id as string, content: 'Once upon a time' },
    kept: { key: idempotencyKey, body: pending.body, answer: pending.answer },
  }
}

const openStore = (old: Old, name: string, currency: string, more: string[]) => {
  const domain = `${name.toLowerCase().replace(' ', '')}.example`
  const made = old.run('store', 'create', '--name', name, '--domain', domain, '--currency', currency, ...more)
  const sized = (size: string, price: number) => ({ options: { Size: size }, price, stock: 10, sku: `SHIRT-${size}` })
  old.importProducts(made.storeId, [
    { name: 'Mug', slug: 'mug', price: 100, stock: 50, category: 'Home > Kitchen', tags: ['tea'] },
    { name: 'Lamp', slug: 'lamp', price: 250, stock: 10, category: 'Home', taxRate: 18 },
    { name: 'Shirt', slug: 'shirt', category: 'Clothes', variants: [sized('S', 300), sized('M', 320)] },
    { name: 'Book', slug: 'book', price: 60, digital: { file: 'book.txt', name: 'The book.txt' } },
    { name: 'Draft', slug: 'draft', price: 1, status: 'DRAFT', digital: { file: 'map.txt' } },
  ])
  return made
}
