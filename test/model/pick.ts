import fc from 'fast-check'
import type { Floor } from './floor.ts'
import { assertStored } from './stored.ts'
import { type Browser, type Cart, ownCart, shopperOf, type Variant, type World } from './world.ts'

export type Command = fc.AsyncCommand<World, Floor>

/** The relative frequency of a command. */
export type Weighted = [weight: number, command: fc.Arbitrary<Command>]

export type Run = (world: World, floor: Floor) => Promise<void>

/** Named by the action, because a failure prints the list of names. The full stop ends a name. */
export const command = (name: string, run: Run): Command => ({
  check: () => true,
  toString: () => `${name}.`,
  run: async (world, floor) => {
    world.moment++
    await run(world, floor)
    await assertStored(world, floor)
  },
})

export const names = {
  browsers: ['Asha', 'Bina'],
  variants: ['mug', 'shirt S', 'shirt M', 'lamp', 'rice'],
  products: ['mug', 'shirt', 'lamp', 'rice'],
} as const

export const aBrowser = fc.nat(names.browsers.length - 1)
/** Mostly the first ones, so that shoppers interact. */
export const aVariant = fc.oneof({ weight: 2, arbitrary: fc.nat(1) }, fc.nat(names.variants.length - 1))
export const aProduct = fc.oneof({ weight: 2, arbitrary: fc.nat(1) }, fc.nat(names.products.length - 1))

/** The shopper's own, the newest of all, or one by its number; number 0 belongs to another store. */
export type CartPick = 'own' | 'the last' | number
export const aCart: fc.Arbitrary<CartPick> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('own' as const) },
  { weight: 3, arbitrary: fc.constant('the last' as const) },
  { weight: 2, arbitrary: fc.nat(6) },
)

export const browserOf = (world: World, who: number) => world.browsers[who] as Browser
export const variantOf = (world: World, variant: number) => world.variants[variant] as Variant

export const cartOf = (world: World, who: number, pick: CartPick): Cart => {
  const own = pick === 'own' ? ownCart(world, shopperOf(browserOf(world, who))) : null
  const place = typeof pick === 'number' ? pick % world.carts.length : world.carts.length - 1
  return own ?? (world.carts[place] as Cart)
}
