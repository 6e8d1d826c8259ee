import fc from 'fast-check'
import { days } from '../../src/core/clock.ts'
import type { PaymentDouble } from '../doubles/payment-double.ts'
import type { TestService } from '../harness.ts'
import { runDueJobs } from './buying-commands.ts'
import { assertLedger } from './buying-double.ts'
import { assertEnd, openCounter } from './buying-floor.ts'
import { doubleCommands, sandboxCommands } from './buying-weights.ts'
import { checkProperty, type Effort, replayed } from './run.ts'

/** Runs random actions of buyers, providers, carriers and time; the invariants must hold after every step. */
export const compareBuying = (
  service: TestService,
  maxCommands: number,
  effort: Effort,
  double: PaymentDouble | null = null,
) => {
  const story = fc.commands(double === null ? sandboxCommands : doubleCommands, {
    maxCommands,
    size: 'max',
    ...replayed,
  })
  const property = fc.asyncProperty(story, async (commands) => {
    const { world, counter } = await openCounter(service, double)
    await fc.asyncModelRun(() => ({ model: world, real: counter }), commands)
    // Twice, because a job may make something due for tomorrow.
    for (const _ of [1, 2]) {
      service.clock.advance(days(1.5))
      await runDueJobs(world, counter)
    }
    await assertEnd(world, counter)
    if (double !== null) await assertLedger(counter, double, { isLost: false, isHeld: false })
  })
  return checkProperty(property, effort)
}
