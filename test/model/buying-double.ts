import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createCircuits } from '../../src/core/circuit.ts'
import { ProviderRefused } from '../../src/providers/http.ts'
import { allChoices, type Choice, noFaults } from '../doubles/double.ts'
import type { doubles } from '../doubles/doubles.ts'
import { choose, type PaymentDouble } from '../doubles/payment-double.ts'
import type { TestService } from '../harness.ts'
import type { Counter } from './buying-floor.ts'
import type { Order } from './buying-world.ts'
import { openService } from './floor.ts'

/** A provider's double in the place of the sandbox: what people do there, what goes wrong, and what must hold. */
export type DoubleAct =
  | { kind: 'visits'; order: number; choice: Choice; page: 'first' | 'last' }
  | { kind: 'refunds there'; order: number; share: number }
  | { kind: 'disputes'; order: number; state: 'opened' | 'won' | 'lost' }
  | { kind: 'decides payments'; outcome: 'success' | 'failed' }
  | { kind: 'decides refunds'; outcome: 'succeeded' | 'failed' }

const doubleKinds: ReadonlySet<string> = new Set<DoubleAct['kind']>([
  ...(['visits', 'refunds there', 'disputes', 'decides payments', 'decides refunds'] as const),
])

export const isDoubleAct = <Act extends { kind: string }>(act: Act | DoubleAct): act is DoubleAct =>
  doubleKinds.has(act.kind)

/** The state of the provider while a batch of acts happens. */
export type Weather = {
  webhooks: 'sent' | 'duplicated' | 'held' | 'held and reordered' | 'lost'
  calls: 'answered' | 'slow' | 'failing' | 'failing after the effect' | 'dropped'
  refunds: 'succeeded' | 'pending' | 'failed'
}

const order = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3))
const kind = <Kind extends DoubleAct['kind']>(name: Kind) => fc.constant(name)

export const doubleActs: fc.WeightedArbitrary<DoubleAct>[] = [
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: kind('visits'), order, page: fc.constantFrom('last' as const, 'last' as const, 'first' as const) },
      choice: fc.oneof({ weight: 2, arbitrary: fc.constant<Choice>('pay') }, fc.constantFrom(...allChoices)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('refunds there'), order, share: fc.constantFrom(0.1, 0.5, 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('disputes'), order, state: fc.constantFrom('opened', 'won', 'lost') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('decides payments'), outcome: fc.constantFrom('success', 'failed') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kind('decides refunds'), outcome: fc.constantFrom('succeeded', 'failed') }),
  },
]

export const aWeather: fc.Arbitrary<Weather> = fc.record({
  webhooks: fc.constantFrom('sent', 'sent', 'sent', 'duplicated', 'held', 'held and reordered', 'lost'),
  calls: fc.constantFrom(
    ...(['answered', 'answered', 'answered', 'slow', 'failing', 'failing after the effect', 'dropped'] as const),
  ),
  refunds: fc.constantFrom('succeeded', 'succeeded', 'pending', 'failed'),
})

export const fairWeather: Weather = { webhooks: 'sent', calls: 'answered', refunds: 'succeeded' }

/** One service and one double for all stories of a file. */
export const openServiceAtDouble = async ({ start, createProvider }: (typeof doubles)[number]) => {
  const clock = { nowMs: () => Date.now() }
  const double = await start({ now: () => clock.nowMs() })
  const { service, close } = await openService({ paymentProviders: [createProvider(double.url)] })
  clock.nowMs = () => service.clock.now()
  closeCircuitsWithTime(service)
  return {
    ...{ service, double },
    close: async () => {
      await close()
      await double.close()
    },
  }
}

/** An open circuit is tried again when the story's clock says so, and not after ten real seconds. */
const closeCircuitsWithTime = ({ app, clock }: TestService) => {
  const isFailure = (error: unknown) => !(error instanceof ProviderRefused)
  Object.assign(app.services.payments, { circuits: createCircuits({ nowMs: () => clock.now(), isFailure }) })
}

/** Whether webhooks have been lost since the story began, or are being held. */
export type Lag = { isLost: boolean; isHeld: boolean }

/** Held webhooks are sent when a batch begins that holds none. */
export const setWeather = async (double: PaymentDouble, { webhooks, calls, refunds }: Weather, lag: Lag) => {
  Object.assign(double.faults, noFaults())
  const hold = webhooks === 'held' || webhooks === 'held and reordered'
  if (!hold && lag.isHeld) await double.release()
  lag.isHeld = hold
  if (webhooks === 'lost') lag.isLost = true
  Object.assign(double.delivery, {
    ...{ hold, reorder: webhooks === 'held and reordered', duplicate: webhooks === 'duplicated' },
    lose: webhooks === 'lost',
  })
  if (calls === 'slow') double.faults.slowMs = 20
  if (calls === 'failing') double.faults.fail = 4
  if (calls === 'failing after the effect') double.faults.failAfter = 2
  if (calls === 'dropped') double.faults.drop = 2
  double.behaviour.refund = refunds
}

const referenceOf = async ({ service, store }: Counter, paymentId: string) =>
  (
    await service.db.maybeOne<{ reference: string | null }>`
    select reference from payment where store_id = ${store.id} and id = ${paymentId}`
  )?.reference ?? null

export const actAtDouble = async (
  counter: Counter,
  double: PaymentDouble,
  act: DoubleAct,
  chosen: Order | undefined,
): Promise<void> => {
  const { publicId } = counter.store
  // No provider lists these when it is asked for a payment, so Vitrine learns of them by webhook alone.
  const isUnknowable = double.delivery.lose
  if (act.kind === 'decides payments') return double.settleLater(act.outcome, publicId)
  if (act.kind === 'decides refunds') {
    return isUnknowable && act.outcome === 'failed' ? undefined : double.settleRefunds(act.outcome, publicId)
  }
  const payment = act.kind === 'visits' && act.page === 'first' ? chosen?.payments[0] : chosen?.payments.at(-1)
  if (payment === undefined || payment.page === '') return
  if (act.kind === 'visits') {
    await choose(payment.page, act.choice)
    return
  }
  const reference = await referenceOf(counter, payment.id)
  const entry = double.ledger(publicId).find((one) => one.reference === reference)
  if (reference === null || entry === undefined || entry.takenMinor === 0) return
  if (act.kind === 'disputes') return double.dispute(act.state, reference)
  if (isUnknowable) return
  const minor = Math.max(1, Math.floor(entry.takenMinor * act.share))
  // Less may be left of the payment than this.
  await double.refundInDashboard(minor, reference).catch((error) => assert.match(String(error), /refused/))
}

type PaidRow = { reference: string | null; amountMinor: number; returnedMinor: number }

/**
 * Money in the rows was taken at the provider, always. Once all webhooks have arrived, the rows have all of it, and the
 * same refunds.
 */
export const assertLedger = async ({ service, store }: Counter, double: PaymentDouble, { isLost, isHeld }: Lag) => {
  const rows = await service.db.many<PaidRow>`
    select p.reference, p.amount_minor as "amountMinor", coalesce((
      select sum(r.amount_minor) from refund r
      where r.store_id = p.store_id and r.payment_id = p.id and r.status = 'succeeded'), 0)::integer as "returnedMinor"
    from payment p
    where p.store_id = ${store.id} and p.status in ('paid', 'refunded') and p.amount_minor > 0 and p.provider <> 'cod'`
  const inRows = new Map(rows.map((row) => [row.reference, row]))
  assert.equal(inRows.size, rows.length, 'each payment has a session of its own')
  const ledger = double.ledger(store.publicId)
  for (const { reference, amountMinor } of rows) {
    const entry = ledger.find((one) => one.reference === reference)
    assert.equal(entry?.takenMinor, amountMinor, `session ${reference} is paid in the rows`)
  }
  for (const { status, url } of double.delivered.splice(0))
    assert.equal(status, 200, `the answer to a webhook at ${url}`)
  if (isLost || isHeld) return
  for (const { reference, takenMinor, returnedMinor } of ledger) {
    const row = inRows.get(reference)
    const expected = takenMinor === 0 ? [0, 0] : [takenMinor, returnedMinor]
    assert.deepEqual([row?.amountMinor ?? 0, row?.returnedMinor ?? 0], expected, `money of session ${reference}`)
  }
}
