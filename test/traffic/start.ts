import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { undo, until } from '../../src/cli/fixture.ts'
import { newCalls, type Send } from './calls.ts'
import type { Market } from './market.ts'
import { type Random, randomFor } from './random.ts'
import { openShopping } from './shopping.ts'

type TrafficOptions = {
  clients: number
  /** Names the address for each call. */
  choose: () => string
  /** Whether calls that were refused, or whose connection broke, are repeated. If not, each is a fault. */
  repeats: boolean
  /** A client begins one call in this time. Without it, a call begins when the one before has ended. */
  everyMs?: number
  /** Whether clients also read what a storefront shows, or only buy. */
  looksAround?: boolean
  random?: Random
}

/** Clients who buy in a market one after another, until they are stopped. */
export const startTraffic = async (t: TestContext, market: Market, options: TrafficOptions) => {
  const { clients, everyMs = 0, looksAround = false, random = randomFor(t) } = options
  const calls = newCalls(options)
  const { faults, answers } = calls
  const { ledger, signUp, ...journeys } = openShopping(market, random)
  const journey = looksAround ? journeys.visit : journeys.buy
  let isOver = false

  const shoppers = await Promise.all(Array.from({ length: clients }, () => signUp(calls.send)))
  calls.takeTimes()
  const live = async (shopper: (typeof shoppers)[number], send: Send) => {
    while (!isOver) await journey(send, shopper)
  }
  let lives: Promise<void>[] = []
  const start = () => {
    isOver = false
    lives = shoppers.map((shopper) =>
      live(shopper, pace(calls.send, everyMs)).catch((error: Error) => void faults.push(error.message)),
    )
  }
  const stop = async () => {
    isOver = true
    await Promise.all(lives)
    assert.deepEqual(faults, [])
  }
  undo(t, () => {
    isOver = true
    calls.abandon()
    return Promise.all(lives)
  })
  start()
  return {
    ...{ ledger, answers, faults },
    lastSuccessAt: calls.lastSuccessAt,
    slowestMs: calls.slowestMs,
    takeTimes: calls.takeTimes,
    /** Waits until more orders are acknowledged. */
    awaitOrders: async (count = 1) => {
      const { size } = ledger.orders
      await until(() => {
        assert.deepEqual(faults, [])
        return ledger.orders.size >= size + count
      })
    },
    /** Lets everyone finish what they are doing. Throws if an answer was not one that a client must expect. */
    stop,
    /** Stops for as long as this takes. */
    pause: async (meanwhile: () => Promise<void>) => {
      await stop()
      await meanwhile()
      start()
    },
    /** What happened, in a sentence. */
    tell: () => {
      const { orders, paid, shipped, refunds } = ledger
      const done = `${orders.size} orders, ${paid.size} payments, ${shipped.size} parcels and ${refunds.size} refunds`
      const slowestMs = Math.round(calls.slowestMs())
      return `${done} acknowledged; slowest answer ${slowestMs} ms; answers ${JSON.stringify(answers)}`
    },
  }
}

/** Begins a call each `everyMs`, or at once if the call before took longer. */
const pace = (send: Send, everyMs: number): Send => {
  let nextAt = 0
  return async (call) => {
    await sleep(Math.max(0, nextAt - performance.now()))
    nextAt = performance.now() + everyMs
    return send(call)
  }
}
