import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Answer, newStore, type TestService, type TestStore } from '../harness.ts'
import { newCustomer, newGuest, type TestShopper } from '../shoppers.ts'

/**
 * Shoppers who act at the same time. Their order is unknown, so nothing is compared step by step: what was
 * accepted is added up, and must be found in the end, wherever claims and merges have carried it.
 */
const people = { guests: 3, customers: 2 }
const shelf = ['rice', 'salt', 'last'] as const

export type Act =
  | { kind: 'adds'; who: number; product: number; quantity: number }
  | { kind: 'adds by id'; who: number; toCartOf: number; product: number; quantity: number }
  | { kind: 'adds twice with one key'; who: number; product: number; quantity: number }
  | { kind: 'wishes'; who: number; product: number }
  | { kind: 'claims'; customer: number; guest: number }
  | { kind: 'merges'; customer: number; guest: number }
  | { kind: 'reads'; who: number }

const who = fc.nat(people.guests + people.customers - 1)
const customer = fc.nat(people.customers - 1)
const guest = fc.nat(people.guests - 1)
const product = fc.nat(shelf.length - 1)
const quantity = fc.integer({ min: 1, max: 3 })
const kind = <Kind extends Act['kind']>(name: Kind) => fc.constant(name)

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('adds'), who, product, quantity }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('adds by id'), who, toCartOf: guest, product, quantity }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('adds twice with one key'), who, product, quantity }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('wishes'), who, product }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('claims'), customer, guest }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('merges'), customer, guest }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('reads'), who }) },
)

/** Each list of acts happens at once, one list after the other. */
export const batches = fc.array(fc.array(act, { minLength: 2, maxLength: 8, size: 'max' }), {
  ...{ minLength: 1, maxLength: 4, size: 'max' },
})

type Crowd = {
  shop: TestStore
  guests: Awaited<ReturnType<typeof newGuest>>[]
  customers: Awaited<ReturnType<typeof newCustomer>>[]
  all: TestShopper[]
  products: string[]
  /** The last cart that each guest was known to have. */
  cartIds: string[]
  accepted: number[]
  wished: Set<string>
  keys: number
}

const lastOnes = 2

const gather = async (service: TestService): Promise<Crowd> => {
  const shop = await newStore(service)
  await shop.add(...shelf.map((name) => ({ name, price: 1, stock: name === 'last' ? lastOnes : 100_000 })))
  const products = await Promise.all(shelf.map(async (name) => (await shop.get(`/v1/products/${name}`)).json.id))
  const guests = await Promise.all(Array.from({ length: people.guests }, () => newGuest(service, shop)))
  const customers = await Promise.all(Array.from({ length: people.customers }, () => newCustomer(service, shop)))
  const cartIds = guests.map(() => 'cart_none')
  const tally = { accepted: shelf.map(() => 0), wished: new Set<string>(), keys: 0 }
  return { shop, guests, customers, all: [...guests, ...customers], products, cartIds, ...tally }
}

export const letCrowdLoose = async (service: TestService, story: readonly (readonly Act[])[]) => {
  const crowd = await gather(service)
  for (const batch of story) await Promise.all(batch.map((one) => perform(crowd, one)))
  await assertNothingLost(service, crowd)
}

/** Refusals that another shopper's action can cause: merged, deleted, sold out, already in the wishlist. */
const settle = (answer: Answer, allowed: readonly number[]) => {
  const isFine = answer.status < 300 || allowed.includes(answer.status)
  assert.ok(isFine, `${answer.status}: ${answer.text}`)
  return answer.status < 300
}

const perform = async (crowd: Crowd, act: Act) => {
  const { all, customers, guests, products, cartIds, accepted, wished } = crowd
  const shopper = 'who' in act ? (all[act.who] as TestShopper) : (customers[act.customer] as TestShopper)
  const wanted = 'product' in act ? { productId: products[act.product] as string } : { productId: '' }
  const count = (isAccepted: boolean) => {
    if (isAccepted && 'quantity' in act) accepted[act.product] = (accepted[act.product] ?? 0) + act.quantity
  }
  if (act.kind === 'reads') settle(await shopper.call('GET', '/v1/cart'), [400])
  else if (act.kind === 'adds') {
    const body = { ...wanted, quantity: act.quantity }
    const answer = await shopper.call('POST', '/v1/cart', { body })
    count(settle(answer, [400, 409]))
    if (answer.status < 300 && act.who < people.guests) cartIds[act.who] = answer.json.id
  } else if (act.kind === 'adds by id') {
    const body = { ...wanted, quantity: act.quantity }
    const path = `/v1/cart/${cartIds[act.toCartOf]}/items`
    count(settle(await shopper.call('POST', path, { body }), [400, 404, 409]))
  } else if (act.kind === 'adds twice with one key') {
    const headers = { 'idempotency-key': `key-${crowd.keys++}` }
    const add = () => shopper.call('POST', '/v1/cart', { headers, body: { ...wanted, quantity: act.quantity } })
    const taken = (await Promise.all([add(), add()])).filter((answer) => settle(answer, [400, 409]))
    const [first, second] = taken
    // The second answer shows the cart as it is by then, which others may have changed.
    if (second !== undefined) assert.equal(second.json.id, first?.json.id, 'one key names one cart')
    count(taken.length > 0)
  } else if (act.kind === 'wishes') {
    if (settle(await shopper.call('POST', '/v1/wishlist', { body: wanted }), [400, 409])) wished.add(wanted.productId)
  } else if (act.kind === 'claims') {
    settle(await shopper.call('POST', `/v1/cart/${cartIds[act.guest]}/claim`), [404])
  } else {
    const { id } = customers[act.customer] as Crowd['customers'][number]
    const body = { guestToken: guests[act.guest]?.token }
    const headers = { 'x-customer-id': id }
    settle(await shopper.call('POST', '/v1/auth/merge-guest-data', { headers, body }), [400])
  }
}

type StoredLine = { cart: string; product: string; quantity: number }

const assertNothingLost = async ({ db }: TestService, { shop, products, accepted, wished, all }: Crowd) => {
  const { id } = await shop.load()
  const lines = await db.many<StoredLine>`
    select cart_id as cart, product_id as product, quantity from cart_item where store_id = ${id}`
  for (const [i, name] of shelf.entries()) {
    const found = lines.filter(({ product }) => product === products[i])
    const sum = found.reduce((units, { quantity }) => units + quantity, 0)
    // Scarce products are capped when carts are merged; the others add up exactly.
    if (name === 'last') for (const { quantity } of found) assert.ok(quantity <= lastOnes, `${quantity} of the last`)
    else assert.equal(sum, accepted[i], `units of ${name}`)
  }
  const wishes = await db.many<{ owner: string; product: string }>`
    select coalesce(guest_id, customer_id) as owner, product_id as product from wishlist_item where store_id = ${id}`
  assert.deepEqual(new Set(wishes.map(({ product }) => product)), wished)
  assert.equal(new Set(wishes.map(({ owner, product }) => `${owner} ${product}`)).size, wishes.length)
  const { left } = await db.one<{ left: number }>`
    select count(*) as left from guest g
    where g.store_id = ${id} and g.merged_at is not null and (
      exists (select from cart c where c.store_id = g.store_id and c.guest_id = g.id)
      or exists (select from wishlist_item w where w.store_id = g.store_id and w.guest_id = g.id))`
  assert.equal(left, 0, 'guests who were merged and have something all the same')
  await assertShownAsStored(all, lines)
}

/** Every cart shows its stored lines, and every stored cart has an owner. */
const assertShownAsStored = async (all: readonly TestShopper[], lines: readonly StoredLine[]) => {
  const seen = new Set<string>()
  for (const shopper of all) {
    const answer = await shopper.call('GET', '/v1/cart')
    if (!settle(answer, [400])) continue
    const cartId = answer.headers.get('x-cart-id')
    if (cartId !== null) seen.add(cartId)
    const stored = lines.filter(({ cart }) => cart === cartId).map(({ product, quantity }) => [product, quantity])
    const shown = answer.json.map(({ productId, quantity }: Record<string, unknown>) => [productId, quantity])
    assert.deepEqual(shown.sort(), stored.sort())
  }
  for (const { cart } of lines) assert.ok(seen.has(cart), `the cart ${cart} has no owner`)
}
