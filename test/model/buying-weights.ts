import fc from 'fast-check'
import {
  type BuyingCommand,
  cancel,
  carry,
  checkOutOf,
  choose,
  comeBack,
  dropCart,
  fill,
  giveBack,
  giveBackPart,
  type Named,
  pass,
  retry,
  ship,
  stock,
  type Told,
  tell,
  tellAgain,
  tellWrong,
} from './buying-commands.ts'
import { buyerNames, couponCodes } from './buying-floor.ts'
import type { CarrierWord } from './buying-world.ts'
import { dispute, refundThere, visit } from './double-commands.ts'

/** How often each command comes. */
const aBuyer = fc.nat(buyerNames.length - 1)
const aQuantity = fc.integer({ min: 1, max: 3 })
const aThing = fc.oneof({ weight: 2, arbitrary: fc.nat(1) }, fc.nat(2))
/** Mostly the newest, so that things happen to the same order. */
const anOrder = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3), { weight: 2, arbitrary: fc.constant(4) })
const aWish = fc.record({
  cod: fc.nat(3).map((n) => n === 0),
  coupon: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...couponCodes)),
  note: fc.constantFrom('', 'leave it at the door'),
})
const aName = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Named>('last') },
  fc.constantFrom<Named>('first', 'elsewhere', 'nothing'),
)
const times = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.constantFrom(2, 3))
const told = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Told>('success') },
  { weight: 3, arbitrary: fc.constant<Told>('failed') },
  { weight: 2, arbitrary: fc.constant<Told>('refunded') },
  fc.constant<Told>('pending'),
)
const aWord = fc.constantFrom<CarrierWord>('in_transit', 'in_transit', 'delivered', 'delivered', 'picked up')

/** Combinations that random commands seldom produce. */
const inTurn = (...commands: BuyingCommand[]): BuyingCommand => ({
  check: () => true,
  toString: () => commands.join(' '),
  run: async (world, counter) => {
    for (const one of commands) await one.run(world, counter)
  },
})
const plainWish = { cod: false, coupon: null, note: 'first' }

const payTwice = (buyer: number, thing: number, quantity: number, named: Named) =>
  inTurn(
    checkOutOf(buyer, plainWish, thing, quantity),
    checkOutOf(buyer, { ...plainWish, note: 'second' }, thing, quantity),
    tell(4, 'success', named, 1),
    tell(0, 'success', named, 1),
  )

const deliverAllTheSame = (buyer: number, thing: number, quantity: number) =>
  inTurn(checkOutOf(buyer, { ...plainWish, cod: true }, thing, quantity), cancel(0), carry(4, 'delivered', false))

type Weights = [number, fc.Arbitrary<BuyingCommand>][]

const sandboxWeights: Weights = [
  [1, fc.tuple(aBuyer, aThing, aQuantity, aName).map((args) => payTwice(...args))],
  [6, fc.tuple(anOrder, told, aName, times).map((args) => tell(...args))],
  [1, fc.nat(5).map(tellAgain)],
  [1, anOrder.map(tellWrong)],
  [2, fc.tuple(anOrder, fc.constantFrom('success', 'failure', 'later')).map((args) => choose(...args))],
]

const doubleWeights: Weights = [
  [8, fc.tuple(anOrder, fc.constantFrom('pay', 'pay', 'pay-by-upi', 'fail', 'leave')).map((args) => visit(...args))],
  [2, fc.tuple(anOrder, fc.constantFrom(0.1, 0.5, 1)).map((args) => refundThere(...args))],
  [1, fc.tuple(anOrder, fc.constantFrom('opened', 'won', 'lost')).map((args) => dispute(...args))],
]

const sharedWeights: Weights = [
  [3, fc.tuple(aBuyer, aThing, aQuantity).map((args) => fill(...args))],
  [8, fc.tuple(aBuyer, aWish, aThing, aQuantity).map((args) => checkOutOf(...args))],
  [1, fc.tuple(aBuyer, aThing, aQuantity).map((args) => deliverAllTheSame(...args))],
  [1, aBuyer.map(dropCart)],
  [2, anOrder.map(cancel)],
  [2, anOrder.map(retry)],
  [1, anOrder.map(comeBack)],
  [
    3,
    fc
      .tuple(
        anOrder,
        aWord,
        fc.nat(3).map((n) => n === 0),
      )
      .map((args) => carry(...args)),
  ],
  [1, anOrder.map(ship)],
  [1, anOrder.map(giveBack)],
  [2, fc.tuple(anOrder, fc.constantFrom(0.1, 0.5, 1)).map((args) => giveBackPart(...args))],
  [1, fc.tuple(aThing, fc.nat(4)).map((args) => stock(...args))],
  [
    2,
    fc
      .tuple(
        fc.constantFrom(2, 26, 31, 95),
        fc.nat(3).map((n) => n > 0),
      )
      .map((args) => pass(...args)),
  ],
]

const repeatByWeight = (weights: Weights) =>
  weights.flatMap(([weight, one]) => Array.from({ length: weight }, () => one))

export const sandboxCommands = repeatByWeight([...sharedWeights, ...sandboxWeights])
export const doubleCommands = repeatByWeight([...sharedWeights, ...doubleWeights])
