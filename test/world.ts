import assert from 'node:assert/strict'
import { contracts } from '../src/contract.ts'
import { type ErrorCode, errorCatalogue } from '../src/core/errors.ts'
import { Fragment } from '../src/db/sql.ts'
import type { Access, Scope } from '../src/features/access/storefront.contract.ts'
import { createPasswordHasher } from '../src/features/accounts/passwords.ts'
import { couponDefaults, createCoupon } from '../src/features/pricing/manage-coupons.ts'
import { replaceMenu } from '../src/features/stores/menu.ts'
import { markDemoStore } from '../src/features/stores/stores.sql.ts'
import type { Endpoint } from '../src/http/endpoint.ts'
import { codesOf } from '../src/http/openapi.ts'
import { type Answer, newStore, type TestService } from './harness.ts'
import { openKeyedAccount } from './keyed-provider.ts'
import { newCustomer, newGuest } from './shoppers.ts'
import { type Parts, recipes } from './world-calls.ts'
import { buyIn } from './world-orders.ts'
import { deriveCall } from './world-samples.ts'

/**
 * A store with shoppers, and a valid call for every endpoint of the contract. Tests that cover all endpoints start from
 * such a call and change one thing. The list comes from the contract, so new endpoints are included.
 */
export type NamedEndpoint = Endpoint & { name: string; scope?: Scope }

export const endpoints: NamedEndpoint[] = contracts.flatMap((contract) =>
  Object.entries<Endpoint>(contract).map(([name, endpoint]) => ({ ...endpoint, name })),
)
/** No store key is needed. */
export const isOpen = ({ family, access }: Endpoint) => family.name !== 'storefront' || access === 'public'
export const guarded = endpoints.filter((endpoint) => !isOpen(endpoint))
export const open = endpoints.filter(isOpen)
export const withAccess = (...kinds: Access[]) => guarded.filter(({ access }) => kinds.includes(access as Access))

/** Fast password hashing: these tests check access, not timing. */
export const cheapPasswords = createPasswordHasher({ cost: { memory: 8, passes: 1, parallelism: 1 } })

/** Every text of a shopper or a store contains this word. */
export const word = 'moonstone'

export type Kind = 'guest' | 'customer'
export type Person = {
  kind: Kind
  id: string
  token: string
  cartId: string
  itemId: string
  wishId: string
  /** Guests have no address, and these name none. */
  addressId: string
  street: string
}

export type World = Awaited<ReturnType<typeof openWorld>>

export const openWorld = async (service: TestService, origins: string[] = []) => {
  const shop = await newStore(service, { origins })
  await shop.add(
    { name: 'Moonstone lamp', price: 10, category: 'Moonstone things', stock: plenty },
    { name: 'Moonstone mug', price: 5, category: 'Moonstone things', stock: plenty },
    { name: 'Moonstone book', price: 7, digital: { file: 'chai-at-home.pdf', name: 'Moonstone book.pdf' } },
    {
      name: 'Moonstone shirt',
      options: [{ name: 'Moonstone size', values: ['S', 'M'] }],
      variants: ['S', 'M'].map((size) => ({
        options: { 'Moonstone size': size },
        title: size,
        price: 20,
        stock: plenty,
      })),
    },
  )
  const store = await shop.load()
  const menu = [{ label: 'Moonstone', type: 'link', target: '/moonstone' }]
  await service.db.tx(async (tx) => {
    // Thousands of calls come from one address.
    await tx.run`update store set visitor_limit = 1000000 where id = ${store.id}`
    // Its book is a file of the demo, which is there without a folder of files.
    await markDemoStore(tx, store.id)
    await replaceMenu(tx, store, menu)
    await openKeyedAccount(tx, service, store)
    for (const code of coupons)
      await createCoupon(tx, store, { ...couponDefaults, code, kind: 'percent', value: 10, listed: true })
  })
  const show = async (slug: string) => {
    const { status, json, text } = await shop.get(`/v1/products/${slug}`)
    assert.equal(status, 200, text)
    return json
  }
  const [lamp, mug, shirt] = [await show('moonstone-lamp'), await show('moonstone-mug'), await show('moonstone-shirt')]

  /** A shopper with two cart lines, a wishlist entry, and for customers an address. */
  const person = async (kind: Kind): Promise<Person> => {
    const shopper = kind === 'guest' ? await newGuest(service, shop) : await newCustomer(service, shop, { name: word })
    const ask = async (path: string, body: unknown) => {
      const { status, json, text } = await shopper.call('POST', path, { body })
      assert.ok(status < 300, text)
      return json
    }
    const items = [
      { productId: lamp.id, quantity: 2 },
      { productId: shirt.id, variantId: shirt.variants[0].id },
    ]
    const cart = await ask('/v1/cart', { items })
    const [wish] = await ask('/v1/wishlist', { productId: lamp.id })
    const id = 'id' in shopper ? String(shopper.id) : guestIdOf(shopper.token)
    const street = `${id} Moonstone Road`
    const isGuest = kind === 'guest'
    const address = isGuest
      ? { id: 'addr_none' }
      : await ask('/v1/customer/addresses', { ...newAddress, line1: street })
    const has = { cartId: cart.id, itemId: cart.items[0].id, wishId: wish.id, addressId: address.id, street }
    return { kind, id, token: shopper.token, ...has }
  }

  return { service, shop, store, lamp, mug, shirt, person, ...buyIn({ service, shop }) }
}

/** Each checkout uses some. */
const plenty = 100_000
export const coupons = ['MOONSTONE10', 'MOONSTONE20'] as const

export const guestIdOf = (token: string) => /^gst_(\w+)\./.exec(token)?.[1] ?? assert.fail(token)

export const newAddress = {
  ...{ label: 'Home', name: 'Asha Moonstone', phone: '+91 98765 43210', line1: '1 Moonstone Road', line2: 'Flat 2' },
  ...{ landmark: 'The mill', city: 'Pune', state: 'MH', postalCode: '411001', country: 'IN', isDefault: true },
}

/** A valid call. There are several `bodies` where no single body can have all fields; the first one is sent. */
export type Prepared = {
  world: World
  endpoint: NamedEndpoint
  person: Person | null
  params: Record<string, string>
  query: Record<string, string>
  bodies: readonly Record<string, unknown>[]
  /** Credentials of callers that are neither a store nor a shopper. */
  credentials: Record<string, string>
}

export const prepare = async (world: World, endpoint: NamedEndpoint, given?: Person): Promise<Prepared> => {
  const person = given ?? (await callerFor(world, endpoint))
  const { params = {}, query = {}, bodies = [], credentials = {} } = await partsFor(world, endpoint, person)
  return { world, endpoint, person, params, query, bodies, credentials }
}

const callerFor = (world: World, { access }: Endpoint) => {
  if (access === 'shopper') return world.person('guest')
  return access === 'customer' || access === 'asserted' ? world.person('customer') : null
}

const partsFor = async (world: World, endpoint: NamedEndpoint, person: Person | null): Promise<Parts> => {
  const parts = await (recipes[endpoint.name]?.(world, person as Person) ?? deriveCall(world, endpoint, person))
  for (const name of Object.keys(endpoint.params?.properties ?? {}))
    assert.ok(parts.params?.[name], `give ${name} of ${describe(endpoint)} a value in test/world-calls.ts`)
  return parts
}

export const describe = ({ method, path }: Endpoint) => `${method} ${path}`

/** The address of the call. Replaced values are not encoded. */
export const addressOf = ({ endpoint, params, query }: Prepared, replaced: Record<string, string> = {}) => {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => replaced[name] ?? params[name] ?? '')
  const known = Object.keys(endpoint.query?.properties ?? {})
  const pairs = known.flatMap((name) => {
    const value = replaced[name] ?? (query[name] === undefined ? undefined : encodeURIComponent(query[name]))
    return value === undefined ? [] : [`${name}=${value}`]
  })
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** The headers that identify the shopper. */
export const proofOf = (person: Person | null, { access }: Pick<Endpoint, 'access'>): Record<string, string> => {
  if (person === null || !['shopper', 'customer', 'asserted'].includes(access)) return {}
  if (person.kind === 'guest') return { 'x-guest-token': person.token }
  const bearer = { authorization: `Bearer ${person.token}` }
  return access === 'asserted' ? { ...bearer, 'x-customer-id': person.id } : bearer
}

/** Undefined headers are omitted, also those of the valid call. */
export type Changed = { headers?: Record<string, string | undefined>; body?: unknown; address?: string }

export const headersOf = (call: Prepared, changed: Changed['headers'] = {}) => {
  const { world, endpoint, person, bodies, credentials } = call
  const all: Record<string, string | undefined> = {
    ...(isOpen(endpoint) ? {} : { 'x-store-key': world.shop.key }),
    ...proofOf(person, endpoint),
    ...credentials,
    ...(bodies.length > 0 ? { 'content-type': 'application/json' } : {}),
    ...changed,
  }
  const entries = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

export const send = async (prepared: Prepared, { headers, body, address }: Changed = {}): Promise<Answer> => {
  const { world, endpoint, bodies } = prepared
  const json = body ?? bodies[0]
  const answer = await world.service.call(address ?? addressOf(prepared), {
    method: endpoint.method,
    headers: headersOf(prepared, headers),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  assertDocumented(endpoint, answer)
  return answer
}

/** Whether the status is the documented success, not just any status below 400. */
export const isTaken = ({ okStatus = 200, otherStatus }: Endpoint, { status }: { status: number }) =>
  status === okStatus || status === otherStatus

/** Fails with advice: either the endpoint or the derived call is wrong. */
export const assertTaken = (endpoint: NamedEndpoint, answer: { status: number; text: string }) =>
  assert.ok(
    isTaken(endpoint, answer),
    `${describe(endpoint)} answered ${answer.status} ${answer.text} to a good call. If the call that is derived from the contract is not good, give ${endpoint.name} one in test/world-calls.ts`,
  )

/** Whether the call changes nothing and can be repeated. Downloads are counted. */
export const isRead = ({ method, name }: NamedEndpoint) => method === 'GET' && name !== 'useDownload'

/** Checks an answer against OpenAPI: only documented statuses and codes. */
export const assertDocumented = (endpoint: NamedEndpoint, { status, text }: { status: number; text: string }) => {
  const what = `${describe(endpoint)} answered ${status} ${text.slice(0, 300)}`
  assert.ok(status < 500, what)
  if (status < 400) {
    const documented = [endpoint.okStatus ?? 200, endpoint.otherStatus, endpoint.cached ? 304 : undefined]
    assert.ok(documented.includes(status as 200), `${what}, a status that its description does not have`)
    return
  }
  const { error, code, ...rest } = JSON.parse(text) as { error: string; code: ErrorCode }
  assert.deepEqual(rest, {}, what)
  assert.ok(typeof error === 'string' && error.length > 0, what)
  assert.doesNotMatch(error, /node_modules|\.ts:\d|syntax error|SQLSTATE|relation "/, what)
  assert.equal(errorCatalogue[code]?.status, status, what)
  assert.ok(codesOf(endpoint).includes(code), `${what}, a code that is missing in the errors of ${endpoint.name}`)
}

/** Read once: the information schema is slow, and `rowsOf` runs hundreds of times. */
let storeTables: Promise<{ name: string }[]> | undefined

/** What jobs of other tests on the same database may change at any time. Of mail, only that it is there counts. */
const changedByJobs = ['search_common', 'search_count']
const asText = (table: string) => (table === 'mail' ? 't.id' : 't::text')

/** Every row of the store as text, to check that nothing changed. */
export const rowsOf = async ({ service: { db }, store }: World): Promise<string[]> => {
  storeTables ??= db.many<{ name: string }>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'store_id' and t.table_type = 'BASE TABLE'`
  const parts = (await storeTables)
    .filter(({ name }) => !changedByJobs.includes(name))
    .map(({ name }) => `select '${name} ' || ${asText(name)} as row from ${name} t where store_id = ${store.id}`)
  const rows = await db.many<{ row: string }>`${new Fragment([parts.join(' union all ')], [])}`
  assert.ok(rows.length > 0)
  return rows.map(({ row }) => row).sort()
}

/** Runs the work for all items, six at a time. */
export const fewAtOnce = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) => {
  assert.ok(items.length > 0)
  const left = [...items]
  const workOff = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 6 }, workOff))
}
