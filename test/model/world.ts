import { days, hours } from '../../src/core/clock.ts'

/**
 * The expected state. Its rules are written from the documentation of the API, as plainly
 * as possible, so that the two can disagree. Nothing in this file talks to the service.
 *
 * Time is what commands have advanced. Every advance is a multiple of ten minutes (and two seconds more, see floor.ts),
 * so the moments that a run takes in reality decide nothing.
 */
export type World = {
  nowMs: number
  /** Counts writes, to order them. */
  moment: number
  products: Product[]
  variants: Variant[]
  browsers: Browser[]
  /** By login: an email or a phone number. */
  customers: Map<string, Customer>
  /** Every known cart, in order of appearance. The first belongs to another store. */
  carts: Cart[]
  /** When codes were sent and sign-ins failed, by login. */
  codesSentMs: Map<string, number[]>
  failedMs: Map<string, number[]>
}

export type Product = { name: string; id: string; isActive: boolean; variants: Variant[] }

export type Variant = { name: string; id: string; product: Product; priceMinor: number; stock: number }

/** Who a browser shops as: a customer during a session, otherwise a guest, or neither yet. */
export type Browser = { name: string; guest: Guest | null; session: Session | null }

export type Guest = Owner & { isMerged: boolean; tokens: GuestToken[]; wroteMs: number }

export type GuestToken = { text: string; madeMs: number }

export type Customer = Owner & { id: string; login: string }

export type Session = { token: string; customer: Customer; madeMs: number }

type Owner = { cart: Cart | null; wishes: Wish[] }

export type Wish = { id: string; product: Product; moment: number }

export type Cart = {
  id: string
  owner: Guest | Customer | 'a stranger'
  lines: Line[]
  version: number
  wroteMs: number
  /** Merged into another cart, or deleted. */
  isGone: boolean
}

export type Line = { id: string; variant: Variant; quantity: number; seenMinor: number; moment: number }

export const cartLifeMs = days(30)
export const tokenLifeMs = days(30)
export const renewalMs = days(1)
export const sessionTtlMs = days(7)
export const codeWindowMs = hours(1)
export const maxQuantity = 999

// Who is who

export const isCustomer = (owner: Cart['owner']): owner is Customer => typeof owner === 'object' && 'login' in owner

export const newGuest = (world: World, text: string): Guest => ({
  isMerged: false,
  tokens: [{ text, madeMs: world.nowMs }],
  wroteMs: world.nowMs,
  cart: null,
  wishes: [],
})

export const sessionIsAlive = (world: World, { madeMs }: Session) => world.nowMs - madeMs < sessionTtlMs

export const tokenIsAlive = (world: World, guest: Guest, token: GuestToken) =>
  !guest.isMerged && world.nowMs - token.madeMs < tokenLifeMs

/** The customer or guest of this browser, whose session or token is known to be valid. */
export const shopperOf = ({ session, guest }: Browser): Guest | Customer | null => session?.customer ?? guest

/** When sessions, tokens and carts will be over, and tokens are due for renewal; the next one first. */
export const endsToCome = ({ nowMs, browsers, carts }: World) => {
  const sessions = browsers.flatMap(({ session }) => (session === null ? [] : session.madeMs + sessionTtlMs))
  const tokens = browsers.flatMap(({ guest }) => guest?.tokens.at(-1)?.madeMs ?? [])
  const written = carts.filter(({ owner, isGone }) => !isCustomer(owner) && !isGone).map(({ wroteMs }) => wroteMs)
  const ends = [
    ...sessions,
    ...tokens.flatMap((madeMs) => [madeMs + renewalMs, madeMs + tokenLifeMs]),
    ...written.map((wroteMs) => wroteMs + cartLifeMs),
  ]
  return [...new Set(ends)].filter((ms) => ms > nowMs).sort((one, other) => one - other)
}

// Carts

export const isAlive = (world: World, cart: Cart) =>
  !cart.isGone && (isCustomer(cart.owner) || world.nowMs - cart.wroteMs < cartLifeMs)

export const ownCart = (world: World, owner: Guest | Customer | null): Cart | null =>
  owner?.cart != null && isAlive(world, owner.cart) ? owner.cart : null

/** Any caller can open a guest's cart by its id; a customer's cart opens only for that customer. */
export const mayOpen = (world: World, browser: Browser, cart: Cart) =>
  cart.owner !== 'a stranger' &&
  isAlive(world, cart) &&
  (!isCustomer(cart.owner) || cart.owner === browser.session?.customer)

/** What a write asks of lines. `variant: null` is a product without a choice of its variants. */
export type Asked = { product: Product; variant: Variant | null; quantity: number }
export type AskedLine = { id: string; quantity: number }
export type Ask = { adds: boolean; things: Asked[]; lines: AskedLine[] }

/** The lines afterwards, or all reasons to refuse; the answer may give any of them. */
export type Verdict = { lines: Line[]; refusals: Set<number> }

export const judge = (before: readonly Line[], { adds, things, lines: named }: Ask, moment: number): Verdict => {
  const lines = before.map((line) => ({ ...line }))
  const refusals = new Set<number>()
  const written = new Map<Line, number>()
  const write = (line: Line, quantity: number) => {
    // Named by its id and by its product: who is meant? Removing it twice is removing it.
    if (written.has(line) && !adds && (quantity > 0 || line.quantity > 0)) refusals.add(422)
    line.quantity = quantity
    written.set(line, quantity)
  }
  for (const { id, quantity } of named) {
    const line = lines.find((one) => one.id === id)
    if (line === undefined) refusals.add(404)
    else write(line, quantity)
  }
  things.forEach(({ product, variant: chosen, quantity }, place) => {
    if (quantity === 0) {
      // A product is removed with all its variants when none is named, also when it is not for sale any more.
      for (const line of lines) {
        if (line.variant.product === product && (chosen ?? line.variant) === line.variant) write(line, 0)
      }
      return
    }
    const variant = chosen ?? (product.variants.length === 1 ? product.variants[0] : undefined)
    if (!product.isActive) refusals.add(404)
    else if (variant === undefined) refusals.add(422)
    else {
      const known = lines.find((line) => line.variant === variant)
      const line = known ?? { id: '', variant, quantity: 0, seenMinor: 0, moment: moment + place / 1000 }
      if (known === undefined) lines.push(line)
      write(line, adds ? line.quantity + quantity : quantity)
    }
  })
  for (const [line, quantity] of written) {
    if (quantity === 0) continue
    if (!line.variant.product.isActive) refusals.add(404)
    if (quantity > maxQuantity) refusals.add(422)
    if (quantity > line.variant.stock) refusals.add(409)
    line.seenMinor = line.variant.priceMinor
  }
  return { lines: lines.filter(({ quantity }) => quantity > 0), refusals }
}

/** Claim and merge: quantities add up as far as there is stock, and one unit stays in any case. */
export const absorb = (world: World, cart: Cart, customer: Customer) => {
  const guest = cart.owner as Guest
  guest.cart = null
  const cap = (quantity: number, { stock }: Variant) => Math.max(1, Math.min(quantity, stock, maxQuantity))
  const own = customer.cart
  const target = own ?? cart
  if (own !== null) cart.isGone = true
  customer.cart = target
  const kept = own?.lines ?? []
  for (const line of cart.lines) {
    const same = kept.find(({ variant }) => variant === line.variant)
    if (same === undefined) line.quantity = cap(line.quantity, line.variant)
    else Object.assign(same, { quantity: cap(same.quantity + line.quantity, line.variant), seenMinor: line.seenMinor })
  }
  const added = cart.lines.filter((line) => !kept.some(({ variant }) => variant === line.variant))
  Object.assign(target, { owner: customer, lines: [...kept, ...added], wroteMs: world.nowMs })
  return target
}

export const sameContent = (one: readonly Line[], other: readonly Line[]) =>
  one.length === other.length &&
  one.every((line) => other.some(({ variant, quantity }) => variant === line.variant && quantity === line.quantity))

// Wishes

/** What both have stands once, with the older date. */
export const absorbWishes = (guest: Guest, customer: Customer) => {
  for (const wish of guest.wishes) {
    const same = customer.wishes.find(({ product }) => product === wish.product)
    if (same === undefined) customer.wishes.push(wish)
    else same.moment = Math.min(same.moment, wish.moment)
  }
  guest.wishes = []
}

// What can be seen

const wire = (minor: number) => minor / 100
const inOrder = (lines: readonly Line[]) => lines.toSorted((one, other) => one.moment - other.moment)

export const shownItems = (lines: readonly Line[]) =>
  inOrder(lines).map(({ id, variant, quantity }) => ({
    id,
    productId: variant.product.id,
    variantId: variant.id,
    quantity,
    price: wire(variant.priceMinor),
    lineTotal: wire(variant.priceMinor * quantity),
    inStock: variant.product.isActive && variant.stock >= quantity,
  }))

export const shownCart = ({ id, owner, lines }: Cart) => {
  const forSale = lines.filter(({ variant }) => variant.product.isActive)
  const total = wire(forSale.reduce((sum, { variant, quantity }) => sum + variant.priceMinor * quantity, 0))
  return {
    id,
    customerId: isCustomer(owner) ? owner.id : null,
    items: shownItems(lines),
    itemCount: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    subtotal: total,
    total,
    warnings: inOrder(lines).flatMap((line) => warningsOf(line).map((code) => ({ code, itemId: line.id }))),
  }
}

const warningsOf = ({ variant, quantity, seenMinor }: Line): string[] => {
  if (!variant.product.isActive) return ['UNAVAILABLE']
  const moved = seenMinor === variant.priceMinor ? [] : ['PRICE_CHANGED']
  if (variant.stock === 0) return [...moved, 'OUT_OF_STOCK']
  return variant.stock < quantity ? [...moved, 'LOW_STOCK'] : moved
}

/** The newest first, without products that are not on sale. */
export const shownWishes = (wishes: readonly Wish[]) =>
  wishes
    .filter(({ product }) => product.isActive)
    .toSorted((one, other) => other.moment - one.moment)
    .map(({ id, product }) => ({
      id,
      productId: product.id,
      price: wire(Math.min(...product.variants.map(({ priceMinor }) => priceMinor))),
      inStock: product.variants.some(({ stock }) => stock > 0),
    }))
