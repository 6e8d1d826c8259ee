import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Answer } from '../harness.ts'
import { assertCart, assertRefused, assertStatus, callAs, callAsCustomer, learnIds, pickItem } from './floor.ts'
import {
  aBrowser,
  aCart,
  aVariant,
  browserOf,
  type CartPick,
  cartOf,
  command,
  names,
  type Run,
  variantOf,
  type Weighted,
} from './pick.ts'
import {
  type Ask,
  type Asked,
  absorb,
  type Browser,
  type Cart,
  isAlive,
  isCustomer,
  judge,
  mayOpen,
  ownCart,
  sameContent,
  shopperOf,
  shownItems,
  type World,
} from './world.ts'

// What shoppers do with carts. Numbers are taken round by how many there are, so that every command makes sense.

type Thing = { variant: number; quantity: number; isNamed: boolean }

const toAdd = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constantFrom(5, 500, 999))
const toSet = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.constantFrom(0, 999))
/** A product is mostly named with its variant; without it where there are two is a mistake that shoppers' code makes. */
const thing = (quantity: fc.Arbitrary<number>): fc.Arbitrary<Thing> =>
  fc.record({ variant: aVariant, quantity, isNamed: fc.nat(9).map((n) => n > 0) })
const things = (quantity: fc.Arbitrary<number>) => fc.array(thing(quantity), { maxLength: 3 })

export const cartCommands: Weighted[] = [
  [6, fc.tuple(aBrowser, thing(toAdd)).map(([who, one]) => addToOwn(who, [one], 'alone'))],
  [2, fc.tuple(aBrowser, things(toAdd)).map(([who, all]) => addToOwn(who, all, 'as items'))],
  [2, fc.tuple(aBrowser, aCart, thing(toAdd)).map((args) => addById(...args))],
  [2, fc.tuple(aBrowser, aCart, fc.nat(3), toSet).map((args) => setLine(...args))],
  [1, fc.tuple(aBrowser, aCart, fc.nat(3)).map((args) => removeLine(...args))],
  [2, fc.tuple(aBrowser, aCart, things(toSet), fc.option(fc.nat(3)), toSet).map((args) => setMany(...args))],
  [1, fc.tuple(aBrowser, aCart).map((args) => showCart(...args))],
  [2, aBrowser.map((who) => look(who))],
  [2, fc.tuple(aBrowser, aCart).map((args) => claim(...args))],
  [1, fc.tuple(aBrowser, aCart).map((args) => deleteCart(...args))],
]

const nameThings = (things: readonly Thing[]) =>
  things.map(({ variant, quantity, isNamed }) => `${quantity} ${names.variants[variant]}${isNamed ? '' : ' (unnamed)'}`)

const askFor = (world: World, things: readonly Thing[]): Asked[] =>
  things.map(({ variant, quantity, isNamed }) => {
    const chosen = variantOf(world, variant)
    return { product: chosen.product, variant: isNamed ? chosen : null, quantity }
  })

const writeThing = ({ product, variant, quantity }: Asked) => ({
  productId: product.id,
  ...(variant === null ? {} : { variantId: variant.id }),
  quantity,
})

const addToOwn = (who: number, things: Thing[], how: 'alone' | 'as items') =>
  command(`${names.browsers[who]} adds ${nameThings(things).join(', ') || 'nothing'}`, async (world, floor) => {
    const browser = browserOf(world, who)
    const asked = askFor(world, things)
    const body = how === 'alone' ? writeThing(asked[0] as Asked) : { items: asked.map(writeThing) }
    const answer = await callAs(world, floor, browser, 'POST', '/v1/cart', body)
    const owner = shopperOf(browser)
    if (answer === null || owner === null) return
    const own = ownCart(world, owner)
    const { lines, refusals } = judge(own?.lines ?? [], { adds: true, things: asked, lines: [] }, world.moment)
    if (refusals.size > 0) return assertRefused(answer, refusals)
    assertStatus(answer, own === null ? 201 : 200)
    if (own === null) {
      if (owner.cart !== null) owner.cart.isGone = true
      owner.cart = { id: answer.json.id, owner, lines: [], version: 0, wroteMs: world.nowMs, isGone: false }
      assert.ok(!world.carts.some(({ id }) => id === answer.json.id), 'a new cart has a new id')
      world.carts.push(owner.cart)
    }
    await settle(world, floor, browser, owner.cart as Cart, answer, lines)
  })

/** A write that was accepted: the model follows, the answer must show it, and so must a read after it. */
const settle = async (
  world: World,
  floor: Parameters<Run>[1],
  browser: Browser,
  cart: Cart,
  answer: Answer,
  lines: Cart['lines'],
) => {
  const hasChanged = cart.version === 0 || !sameContent(cart.lines, lines)
  Object.assign(cart, { lines, wroteMs: world.nowMs })
  if (browser.session === null && browser.guest?.cart === cart) browser.guest.wroteMs = world.nowMs
  learnIds(cart, answer.json.items)
  assertCart(answer, cart, hasChanged ? 'grown' : 'not less')
  await assertReread(world, floor, browser, cart, answer)
}

const assertReread = async (world: World, floor: Parameters<Run>[1], browser: Browser, cart: Cart, answer: Answer) => {
  const again = await callAs(world, floor, browser, 'GET', `/v1/cart/${cart.id}`)
  assert.deepEqual(again?.json, answer.json, 'what a write answers is what a read shows')
  assertCartId(browser, cart, answer)
}

/** Only answers about the caller's own cart name it. */
const assertCartId = (browser: Browser, cart: Cart | null, { headers }: Answer) =>
  assert.equal(headers.get('x-cart-id'), cart !== null && shopperOf(browser)?.cart === cart ? cart.id : null)

const changeById = async (
  world: World,
  floor: Parameters<Run>[1],
  [who, cart]: [number, Cart],
  [method, path, body]: [method: string, path: string, body?: unknown],
  ask: Ask,
) => {
  const browser = browserOf(world, who)
  const answer = await callAs(world, floor, browser, method, `/v1/cart/${cart.id}${path}`, body)
  if (answer === null) return
  if (!mayOpen(world, browser, cart)) return assertRefused(answer, 404)
  const { lines, refusals } = judge(cart.lines, ask, world.moment)
  if (refusals.size > 0) return assertRefused(answer, refusals)
  assertStatus(answer, 200)
  await settle(world, floor, browser, cart, answer, lines)
}

const addById = (who: number, pick: CartPick, one: Thing) =>
  command(`${names.browsers[who]} adds ${nameThings([one])} to ${pick} cart`, async (world, floor) => {
    const [asked] = askFor(world, [one]) as [Asked]
    const call: [string, string, unknown] = ['POST', '/items', writeThing(asked)]
    await changeById(world, floor, [who, cartOf(world, who, pick)], call, { adds: true, things: [asked], lines: [] })
  })

/** The line, counted round; an id that no line has where there is none. */
const lineId = ({ lines }: Cart, line: number) => lines[line % Math.max(1, lines.length)]?.id ?? 'line_none'

const setLine = (who: number, pick: CartPick, line: number, quantity: number) =>
  command(`${names.browsers[who]} sets line ${line} of ${pick} cart to ${quantity}`, async (world, floor) => {
    const cart = cartOf(world, who, pick)
    const id = lineId(cart, line)
    const call: [string, string, unknown] = ['PATCH', `/items/${id}`, { quantity }]
    await changeById(world, floor, [who, cart], call, { adds: false, things: [], lines: [{ id, quantity }] })
  })

const removeLine = (who: number, pick: CartPick, line: number) =>
  command(`${names.browsers[who]} removes line ${line} of ${pick} cart`, async (world, floor) => {
    const cart = cartOf(world, who, pick)
    const id = lineId(cart, line)
    const lines = [{ id, quantity: 0 }]
    await changeById(world, floor, [who, cart], ['DELETE', `/items/${id}`], { adds: false, things: [], lines })
  })

/** Lines by product, and one by its id, which may be a line that is named by its product too. */
const setMany = (who: number, pick: CartPick, things: Thing[], line: number | null, quantity: number) => {
  const byId = line === null ? '' : `, line ${line} to ${quantity}`
  return command(`${names.browsers[who]} sets ${nameThings(things)}${byId} in ${pick} cart`, async (world, floor) => {
    const cart = cartOf(world, who, pick)
    const asked = askFor(world, things).filter(
      ({ product }, i, all) => all.findIndex((one) => one.product === product) === i,
    )
    const lines = line === null ? [] : [{ id: lineId(cart, line), quantity }]
    const body = { items: [...lines, ...asked.map(writeThing)] }
    await changeById(world, floor, [who, cart], ['PATCH', '', body], { adds: false, things: asked, lines })
  })
}

const showCart = (who: number, pick: CartPick) =>
  command(`${names.browsers[who]} opens ${pick} cart`, async (world, floor) => {
    const [browser, cart] = [browserOf(world, who), cartOf(world, who, pick)]
    const answer = await callAs(world, floor, browser, 'GET', `/v1/cart/${cart.id}`)
    if (answer === null) return
    if (!mayOpen(world, browser, cart)) return assertRefused(answer, 404)
    assertStatus(answer, 200)
    assertCart(answer, cart, 'same')
    assertCartId(browser, cart, answer)
  })

const look = (who: number) =>
  command(`${names.browsers[who]} looks at the own cart`, async (world, floor) => {
    const browser = browserOf(world, who)
    const answer = await callAs(world, floor, browser, 'GET', '/v1/cart')
    if (answer === null) return
    const own = ownCart(world, shopperOf(browser))
    assertStatus(answer, 200)
    assert.deepEqual(answer.json.map(pickItem), shownItems(own?.lines ?? []))
    assertCartId(browser, own, answer)
    const mine = await callAsCustomer(world, floor, browser, 'GET', '/v1/cart/me')
    if (mine === null) return
    if (own === null) return assertRefused(mine, 404)
    assertCart(mine, own, 'same')
    assertCartId(browser, own, mine)
  })

const claim = (who: number, pick: CartPick) =>
  command(`${names.browsers[who]} claims ${pick} cart`, async (world, floor) => {
    const [browser, cart] = [browserOf(world, who), cartOf(world, who, pick)]
    const answer = await callAsCustomer(world, floor, browser, 'POST', `/v1/cart/${cart.id}/claim`)
    if (answer === null || browser.session === null) return
    if (!mayOpen(world, browser, cart)) return assertRefused(answer, 404)
    assertStatus(answer, 200)
    if (isCustomer(cart.owner)) {
      assertCart(answer, cart, 'same')
      return assertCartId(browser, cart, answer)
    }
    const { customer } = browser.session
    const before = (customer.cart ?? cart).lines.map((line) => ({ ...line }))
    const target = absorb(world, cart, customer)
    assertCart(answer, target, sameContent(before, target.lines) ? 'not less' : 'grown')
    await assertReread(world, floor, browser, target, answer)
  })

const deleteCart = (who: number, pick: CartPick) =>
  command(`${names.browsers[who]} deletes ${pick} cart`, async (world, floor) => {
    const [browser, cart] = [browserOf(world, who), cartOf(world, who, pick)]
    const answer = await callAsCustomer(world, floor, browser, 'DELETE', `/v1/cart/${cart.id}`)
    if (answer === null || browser.session === null) return
    const { customer } = browser.session
    if (customer.cart !== cart || !isAlive(world, cart)) return assertRefused(answer, 404)
    assertStatus(answer, 204)
    cart.isGone = true
    customer.cart = null
  })
