import assert from 'node:assert/strict'
import fc from 'fast-check'
import { days, hours, minutes } from '../../src/core/clock.ts'
import type { Answer } from '../harness.ts'
import {
  advance,
  assertCart,
  assertRefused,
  assertStatus,
  call,
  callAs,
  callAsCustomer,
  type Floor,
  post,
  stockUp,
  writeFile,
} from './floor.ts'
import {
  aBrowser,
  aCart,
  aProduct,
  aVariant,
  browserOf,
  type CartPick,
  cartOf,
  command,
  names,
  variantOf,
  type Weighted,
} from './pick.ts'
import { cleanUp, learnDeleted } from './stored.ts'
import {
  absorb,
  absorbWishes,
  type Browser,
  type Cart,
  type Customer,
  codeWindowMs,
  endsToCome,
  type Guest,
  isAlive,
  isCustomer,
  ownCart,
  type Product,
  sessionIsAlive,
  shopperOf,
  shownWishes,
  tokenIsAlive,
  type World,
} from './world.ts'

// Signing in and out, wishes, the operator of the shop, and time.

const anAccount = fc.nat(1)
const often = (weight: number) => fc.nat(weight).map((n) => n < weight)

export const peopleCommands: Weighted[] = [
  [1, fc.tuple(aBrowser, anAccount).map((args) => signUp(...args))],
  [1, fc.tuple(aBrowser, anAccount, often(3)).map((args) => signIn(...args))],
  [2, fc.tuple(aBrowser, anAccount, fc.option(aCart)).map((args) => signInByPhone(...args))],
  [3, fc.tuple(aBrowser, anAccount).map((args) => comeHome(...args))],
  [1, fc.tuple(aBrowser, aBrowser, often(3)).map((args) => merge(...args))],
  [2, aBrowser.map((who) => logOut(who))],
  [3, fc.tuple(aBrowser, aProduct).map((args) => wish(...args))],
  [1, fc.tuple(aBrowser, aProduct, fc.boolean()).map((args) => unwish(...args))],
  [1, aBrowser.map((who) => readWishes(who))],
]

export const worldCommands: Weighted[] = [
  [2, fc.tuple(aVariant, fc.constantFrom(0, 1, 2, 5, 20, 1_500)).map((args) => changeStock(...args))],
  [1, fc.tuple(aProduct, fc.boolean()).map((args) => changeStatus(...args))],
  [1, fc.tuple(aVariant, fc.constantFrom(5_000, 10_000, 12_345)).map((args) => changePrice(...args))],
  [1, fc.constantFrom(minutes(10), hours(1), days(1), days(15), days(31)).map((ms) => wait(ms))],
  [3, fc.tuple(fc.nat(5), fc.boolean()).map((args) => waitForAnEnd(...args))],
  [1, fc.constant(0).map(() => runCleanup())],
]

// Signing in

const emailOf = (account: number) => `account${account}@example.com`
const phoneOf = (account: number) => `+91987654321${account}`
const password = 'correct horse battery'

const enter = (world: World, browser: Browser, login: string, answer: Answer, id: string) => {
  const customer: Customer = world.customers.get(login) ?? { id, login, cart: null, wishes: [] }
  assert.equal(id, customer.id)
  world.customers.set(login, customer)
  browser.session = { token: answer.json.token, customer, madeMs: world.nowMs }
}

const signUp = (who: number, account: number) =>
  command(`${names.browsers[who]} signs up as account ${account}`, async (world, floor) => {
    const email = emailOf(account)
    const answer = await post(floor, '/v1/signup', { name: 'Asha', email, password })
    if (world.customers.has(email)) return assertRefused(answer, 409, 'CONFLICT')
    assertStatus(answer, 201)
    enter(world, browserOf(world, who), email, answer, answer.json.user.id)
  })

const signIn = (who: number, account: number, isRight: boolean) => {
  const how = isRight ? '' : ' with a wrong password'
  return command(`${names.browsers[who]} signs in as account ${account}${how}`, async (world, floor) => {
    const email = emailOf(account)
    const answer = await post(floor, '/v1/signin', { email, password: isRight ? password : 'wrong horse' })
    const failures = recent(world, world.failedMs, email, minutes(15))
    if (failures.length >= 10) return assertRefused(answer, 429)
    if (!isRight || !world.customers.has(email)) {
      failures.push(world.nowMs)
      return assertRefused(answer, 401)
    }
    assertStatus(answer, 200)
    world.failedMs.delete(email)
    enter(world, browserOf(world, who), email, answer, answer.json.user.id)
  })
}

/** What happened within the last so many milliseconds; the list can be added to. */
const recent = (world: World, kept: Map<string, number[]>, login: string, windowMs: number) => {
  const list = (kept.get(login) ?? []).filter((ms) => world.nowMs - ms < windowMs)
  kept.set(login, list)
  return list
}

const signInByPhone = (who: number, account: number, pick: CartPick | null) => {
  const bringing = pick === null ? '' : ` bringing ${pick} cart`
  return command(`${names.browsers[who]} signs in by phone ${account}${bringing}`, (world, floor) =>
    enterByPhone(world, floor, browserOf(world, who), account, pick === null ? null : cartOf(world, who, pick)),
  )
}

const enterByPhone = async (world: World, floor: Floor, browser: Browser, account: number, guestCart: Cart | null) => {
  const phone = phoneOf(account)
  const sent = await post(floor, '/v1/auth/otp/request', { phone })
  const requests = recent(world, world.codesSentMs, phone, codeWindowMs)
  if (requests.length >= 5) return assertRefused(sent, 429)
  requests.push(world.nowMs)
  assertStatus(sent, 200)
  const otp = floor.service.codeFor(phone)
  const bringing = guestCart === null ? {} : { guestCartId: guestCart.id }
  const answer = await post(floor, '/v1/auth/otp/verify', { phone, otp, ...bringing })
  assertStatus(answer, 200)
  enter(world, browser, phone, answer, answer.json.customer.id)
  // An unknown, expired or foreign cart does not prevent signing in.
  if (guestCart === null || guestCart.owner === 'a stranger' || isCustomer(guestCart.owner)) return
  if (!isAlive(world, guestCart)) return
  const joined = absorb(world, guestCart, world.customers.get(phone) as Customer)
  await showJoined(world, floor, browser, joined)
}

const logOut = (who: number) =>
  command(`${names.browsers[who]} logs out`, async (world, floor) => {
    const browser = browserOf(world, who)
    const { session } = browser
    const answer = await callAsCustomer(world, floor, browser, 'POST', '/v1/auth/logout')
    if (answer === null || session === null) return
    assertStatus(answer, 200)
    browser.session = null
    const authorization = `Bearer ${session.token}`
    assertRefused(await call(floor, 'GET', '/v1/cart', { authorization }), 401)
  })

/** `from` is the browser whose guest is merged; one that has been there for long has several tokens of one guest. */
const merge = (who: number, from: number, newest: boolean) => {
  const whose = `${newest ? '' : 'an old token of '}${names.browsers[from]}`
  return command(`${names.browsers[who]} merges the guest of ${whose}`, (world, floor) =>
    mergeGuest(world, floor, browserOf(world, who), browserOf(world, from).guest, newest),
  )
}

/** Signs in and merges the guest, as storefronts do. */
const comeHome = (who: number, account: number) =>
  command(`${names.browsers[who]} signs in by phone ${account} and merges`, async (world, floor) => {
    const browser = browserOf(world, who)
    await enterByPhone(world, floor, browser, account, null)
    await mergeGuest(world, floor, browser, browser.guest, true)
  })

const mergeGuest = async (world: World, floor: Floor, browser: Browser, guest: Guest | null, newest: boolean) => {
  const token = guest?.tokens.at(newest ? -1 : 0)
  const body = { guestToken: token?.text ?? 'gst_none' }
  const { session } = browser
  if (session === null) return assertRefused(await post(floor, '/v1/auth/merge-guest-data', body), 401)
  const { customer } = session
  const answer = await post(floor, '/v1/auth/merge-guest-data', body, {
    ...{ authorization: `Bearer ${session.token}`, 'x-customer-id': customer.id },
  })
  if (!sessionIsAlive(world, session)) {
    browser.session = null
    return assertRefused(answer, 401)
  }
  assert.equal(answer.headers.get('x-guest-token'), null, 'a merge brings no token')
  if (guest === null || token === undefined || !tokenIsAlive(world, guest, token)) return assertRefused(answer, 400)
  assertStatus(answer, 200)
  const cart = ownCart(world, guest)
  assert.deepEqual(answer.json.merged, { cartItems: cart?.lines.length ?? 0, wishlistItems: guest.wishes.length })
  guest.isMerged = true
  absorbWishes(guest, customer)
  if (cart !== null) await showJoined(world, floor, browser, absorb(world, cart, customer))
}

/** The answer does not show the cart that the guest's cart was merged into. */
const showJoined = async (world: World, floor: Floor, browser: Browser, joined: Cart) => {
  const answer = await callAs(world, floor, browser, 'GET', '/v1/cart/me')
  assert.ok(answer)
  assertStatus(answer, 200)
  assertCart(answer, joined, 'not less')
}

// Wishes

const productOf = (world: World, product: number) => world.products[product] as Product

type ShownWish = { id: string; productId: string; product: { price: number; inStock: boolean } }

const assertWishes = (answer: Answer, owner: ReturnType<typeof shopperOf>) => {
  const shown = answer.json.map(({ id, productId, product: { price, inStock } }: ShownWish) => ({
    ...{ id, productId, price, inStock },
  }))
  assert.deepEqual(shown, shownWishes(owner?.wishes ?? []))
}

const wish = (who: number, place: number) =>
  command(`${names.browsers[who]} wishes for ${names.products[place]}`, async (world, floor) => {
    const [browser, product] = [browserOf(world, who), productOf(world, place)]
    const answer = await callAs(world, floor, browser, 'POST', '/v1/wishlist', { productId: product.id })
    const owner = shopperOf(browser)
    if (answer === null || owner === null) return
    if (!product.isActive) return assertRefused(answer, 404)
    if (owner.wishes.some((one) => one.product === product)) return assertRefused(answer, 409, 'CONFLICT')
    assertStatus(answer, 200)
    const { id } = answer.json.find(({ productId }: ShownWish) => productId === product.id)
    owner.wishes.push({ id, product, moment: world.moment })
    noteWrite(world, browser)
    assertWishes(answer, owner)
  })

const unwish = (who: number, place: number, byEntry: boolean) => {
  const what = `${names.products[place]}${byEntry ? ' by its entry' : ''}`
  return command(`${names.browsers[who]} does not wish for ${what} any more`, async (world, floor) => {
    const [browser, product] = [browserOf(world, who), productOf(world, place)]
    const known = shopperOf(browser)?.wishes.find((one) => one.product === product)
    const id = byEntry ? (known?.id ?? 'wish_none') : product.id
    const answer = await callAs(world, floor, browser, 'DELETE', `/v1/wishlist/${id}`)
    const owner = shopperOf(browser)
    if (answer === null || owner === null) return
    if (known === undefined) return assertRefused(answer, 404)
    assertStatus(answer, 200)
    owner.wishes = owner.wishes.filter((one) => one !== known)
    noteWrite(world, browser)
    assertWishes(answer, owner)
  })
}

const noteWrite = (world: World, { session, guest }: Browser) => {
  if (session === null && guest !== null) guest.wroteMs = world.nowMs
}

const readWishes = (who: number) =>
  command(`${names.browsers[who]} reads the own wishlist`, async (world, floor) => {
    const browser = browserOf(world, who)
    const answer = await callAs(world, floor, browser, 'GET', '/v1/wishlist')
    if (answer === null) return
    assertStatus(answer, 200)
    assertWishes(answer, shopperOf(browser))
  })

// The operator, and time

const changeStock = (place: number, stock: number) =>
  command(`the shop has ${stock} ${names.variants[place]}`, async (world, floor) => {
    const variant = variantOf(world, place)
    variant.stock = stock
    await stockUp(floor, variant)
  })

const changeStatus = (place: number, isActive: boolean) =>
  command(`the shop ${isActive ? 'offers' : 'archives'} ${names.products[place]}`, async (world, { shop }) => {
    const product = productOf(world, place)
    product.isActive = isActive
    await shop.add(writeFile(product))
  })

const changePrice = (place: number, minor: number) =>
  command(`the shop sells ${names.variants[place]} for ${minor / 100}`, async (world, { shop }) => {
    const variant = variantOf(world, place)
    variant.priceMinor = minor
    await shop.add(writeFile(variant.product))
  })

const wait = (ms: number) =>
  command(`${ms / minutes(10)} times ten minutes go by`, async (world, floor) => advance(world, floor, ms))

/** To the moment when something expires, or ten minutes before, because mistakes are at the limits. */
const waitForAnEnd = (which: number, isBefore: boolean) =>
  command(`time goes to ${isBefore ? 'just before ' : ''}the end ${which} of something`, async (world, floor) => {
    const ends = endsToCome(world)
    const ms = (ends[which % Math.max(1, ends.length)] ?? world.nowMs + minutes(10)) - world.nowMs
    advance(world, floor, isBefore ? ms - minutes(10) : ms)
  })

/** Only expired rows are deleted, so no shopper sees a difference. */
const runCleanup = () =>
  command('cleanup jobs run', async (world, floor) => {
    await cleanUp(world, floor)
    await learnDeleted(world, floor)
  })
