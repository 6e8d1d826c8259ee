import assert from 'node:assert/strict'
import { minutes, seconds } from '../../src/core/clock.ts'
import { createPasswordHasher } from '../../src/features/accounts/passwords.ts'
import { commandLine } from '../../src/features/audit/record.ts'
import { adjustStock } from '../../src/features/catalog/adjust-stock.ts'
import {
  type Answer,
  newStore,
  type ServiceOptions,
  startTestService,
  type TestService,
  type TestStore,
} from '../harness.ts'
import { makeDatabase } from './database.ts'
import { readRows, type StoredRows } from './stored.ts'
import {
  type Browser,
  type Cart,
  newGuest,
  type Product,
  renewalMs,
  sessionIsAlive,
  shownCart,
  tokenIsAlive,
  type Variant,
  type World,
} from './world.ts'

/** The real service: a store, and a second one that no command may reach. */
export type Floor = { service: TestService; shop: TestStore; storeId: number; stranger: Stranger }

export type Stranger = { storeId: number; rows: StoredRows }

const goods = [
  { name: 'Mug', variants: [{ name: 'mug', priceMinor: 10_000, stock: 10 }] },
  {
    name: 'Shirt',
    variants: [
      { name: 'S', priceMinor: 90_050, stock: 5 },
      { name: 'M', priceMinor: 95_000, stock: 3 },
    ],
  },
  { name: 'Lamp', variants: [{ name: 'lamp', priceMinor: 25_000, stock: 2 }] },
  { name: 'Rice', variants: [{ name: 'rice', priceMinor: 75, stock: 1_500 }] },
]

/** A service on a database of its own, because it moves the clock by years and runs jobs. */
export const openService = async (options: ServiceOptions = {}) => {
  const database = await makeDatabase()
  // The model does not depend on the cost of hashes.
  const passwords = createPasswordHasher({ cost: { memory: 8, passes: 1, parallelism: 1 } })
  const service = await startTestService({ ...options, databaseUrl: database.url, passwords })
  return {
    service,
    close: async () => {
      await service.close()
      await database.drop()
    },
  }
}

export const openFloor = async (service: TestService): Promise<{ world: World; floor: Floor }> => {
  const shop = await newStore(service)
  const products = goods.map(({ name, variants }) => {
    const product: Product = { name, id: '', isActive: true, variants: [] }
    product.variants = variants.map((variant) => ({ ...variant, id: '', product }))
    return product
  })
  await shop.add(...products.map(writeFile))
  for (const product of products) {
    const answer = await call({ service, shop }, 'GET', `/v1/products/${product.name.toLowerCase()}`, {})
    assertStatus(answer, 200)
    product.id = answer.json.id
    for (const [i, variant] of product.variants.entries()) variant.id = answer.json.variants[i].id
  }
  const { cartId, stranger } = await letStrangerShop(service)
  const foreign: Cart = { id: cartId, owner: 'a stranger', lines: [], version: 1, wroteMs: 0, isGone: false }
  return {
    world: {
      ...{ nowMs: 0, moment: 0, products, carts: [foreign] },
      variants: products.flatMap(({ variants }) => variants),
      browsers: ['Asha', 'Bina'].map((name) => ({ name, guest: null, session: null })),
      customers: new Map(),
      codesSentMs: new Map(),
      failedMs: new Map(),
    },
    floor: { service, shop, storeId: (await shop.load()).id, stranger },
  }
}

const letStrangerShop = async (service: TestService) => {
  const shop = await newStore(service)
  await shop.add({ name: 'Mug', price: 1, stock: 5 })
  const productId = (await call({ service, shop }, 'GET', '/v1/products/mug', {})).json.id
  const cart = await call({ service, shop }, 'POST', '/v1/cart', {}, { productId })
  await call({ service, shop }, 'POST', '/v1/wishlist', {}, { productId })
  const storeId = (await shop.load()).id
  return { cartId: cart.json.id as string, stranger: { storeId, rows: await readRows(service, storeId) } }
}

/** The product as an import file has it. */
export const writeFile = ({ name, isActive, variants }: Product) => {
  const status = isActive ? 'ACTIVE' : 'ARCHIVED'
  const [only] = variants
  if (only !== undefined && variants.length === 1)
    return { name, status, price: only.priceMinor / 100, stock: only.stock }
  const sizes = variants.map(({ name: size, priceMinor, stock }) => ({
    ...{ title: size, options: { Size: size }, price: priceMinor / 100, stock },
  }))
  return { name, status, options: [{ name: 'Size', values: variants.map((one) => one.name) }], variants: sizes }
}

export const stockUp = async ({ service, shop }: Floor, { id, product, stock }: Variant) => {
  const store = await shop.load()
  const change = { product: product.id, variantId: id, outletId: null, quantity: stock }
  await service.db.tx((tx) => adjustStock(tx, store, commandLine, change))
}

/** Two seconds more, because a token is valid to the end of its second. */
export const advance = (world: World, { service }: Floor, ms: number) => {
  assert.equal(ms % minutes(10), 0)
  world.nowMs += ms
  service.clock.advance(ms + seconds(2))
}

// Calls

export const post = (floor: Floor, path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(floor, 'POST', path, headers, body)

export const call = async (
  { service, shop }: Pick<Floor, 'service' | 'shop'>,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> => {
  const answer = await service.call(path, {
    method,
    headers: {
      'x-store-key': shop.key,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  assert.ok(answer.status < 500, `${method} ${path}: ${answer.text} ${causeOf(service)}`)
  return answer
}

/** Answers do not say why something failed inside; the log does. */
const causeOf = ({ logLines }: TestService) => logLines.findLast((line) => line.includes('"err"')) ?? ''

/**
 * A call as the shopper of the browser. An ended session is 401 and is dropped, an invalid guest token is 400 and brings
 * a new guest; both return null.
 */
export const callAs = async (
  world: World,
  floor: Floor,
  browser: Browser,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer | null> => {
  const { session, guest } = browser
  if (session !== null) {
    const answer = await call(floor, method, path, { authorization: `Bearer ${session.token}` }, body)
    assert.equal(answer.headers.get('x-guest-token'), null, 'a customer needs no guest token')
    if (sessionIsAlive(world, session)) return answer
    assertRefused(answer, 401)
    browser.session = null
    return null
  }
  const token = guest?.tokens.at(-1)
  const answer = await call(floor, method, path, token === undefined ? {} : { 'x-guest-token': token.text }, body)
  const fresh = answer.headers.get('x-guest-token')
  if (guest === null || token === undefined || !tokenIsAlive(world, guest, token)) {
    if (guest !== null) assertRefused(answer, 400)
    assert.ok(fresh, `${answer.status} without a guest token: ${answer.text}`)
    browser.guest = newGuest(world, fresh)
    return guest === null ? answer : null
  }
  const isDue = world.nowMs - token.madeMs >= renewalMs
  assert.equal(fresh !== null, isDue, 'a token is renewed a day after it was made, and not before')
  if (fresh !== null) guest.tokens.push({ text: fresh, madeMs: world.nowMs })
  return answer
}

/** For calls of customers only: without a session the answer is 401, and the result null. */
export const callAsCustomer = async (
  world: World,
  floor: Floor,
  browser: Browser,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer | null> => {
  if (browser.session !== null) return callAs(world, floor, browser, method, path, body)
  const token = browser.guest?.tokens.at(-1)
  assertRefused(await call(floor, method, path, token === undefined ? {} : { 'x-guest-token': token.text }, body), 401)
  return null
}

// What was answered

const codes: Record<number, string> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMITED',
}

export const assertRefused = (
  answer: Answer,
  refusals: number | ReadonlySet<number>,
  conflict = 'INSUFFICIENT_STOCK',
) => {
  const allowed = typeof refusals === 'number' ? [refusals] : [...refusals]
  assert.ok(allowed.includes(answer.status), `${answer.status} instead of ${allowed.join(' or ')}: ${answer.text}`)
  assert.equal(answer.json.code, answer.status === 409 ? conflict : codes[answer.status])
}

export const assertStatus = (answer: Answer, status: number) =>
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text}`)

type ShownLine = { id: string; variantId: string }

/** The container as the model has it. How its version may have moved since it was seen last is for the caller to say. */
export const assertCart = (answer: Answer, cart: Cart, version: 'same' | 'grown' | 'not less') => {
  const { json } = answer
  const shown = {
    ...{ id: json.id, customerId: json.customerId, items: json.items.map(pickItem), itemCount: json.itemCount },
    ...{ subtotal: json.subtotal, total: json.total },
    warnings: json.warnings.map(({ code, itemId }: Record<string, string>) => ({ code, itemId })),
  }
  assert.deepEqual(shown, shownCart(cart))
  assert.equal(json.expiresAt === null, json.customerId !== null, 'only carts of guests expire')
  if (version === 'same') assert.equal(json.version, cart.version, 'the version of an unchanged cart')
  else if (version === 'grown') assert.ok(json.version > cart.version, `version ${cart.version} became ${json.version}`)
  else assert.ok(json.version >= cart.version, `version ${cart.version} went back to ${json.version}`)
  cart.version = json.version
}

/** New lines get their ids from the service. */
export const learnIds = (cart: Cart, items: readonly ShownLine[]) => {
  for (const line of cart.lines) {
    if (line.id === '') line.id = items.find(({ variantId }) => variantId === line.variant.id)?.id ?? ''
  }
}

export const pickItem = (item: Record<string, unknown>) => ({
  ...{ id: item.id, productId: item.productId, variantId: item.variantId, quantity: item.quantity },
  ...{ price: item.price, lineTotal: item.lineTotal, inStock: item.inStock },
})
