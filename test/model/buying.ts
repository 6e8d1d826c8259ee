import fc from 'fast-check'
import { days } from '../../src/core/clock.ts'
import type { TestService } from '../harness.ts'
import { buyingCommands, runDueJobs } from './buying-commands.ts'
import { assertEnd, openCounter } from './buying-floor.ts'
import { checkProperty, type Effort, replayed } from './run.ts'

/** Runs random actions of buyers, providers, carriers and time; the invariants must hold after every step. */
export const compareBuying = (service: TestService, maxCommands: number, effort: Effort) => {
  const story = fc.commands(buyingCommands, { maxCommands, size: 'max', ...replayed })
  const property = fc.asyncProperty(story, async (commands) => {
    const { world, counter } = await openCounter(service)
    await fc.asyncModelRun(() => ({ model: world, real: counter }), commands)
    // Twice, because a job may make something due for tomorrow.
    for (const _ of [1, 2]) {
      service.clock.advance(days(1.5))
      await runDueJobs(world, counter)
    }
    await assertEnd(world, counter)
  })
  return checkProperty(property, effort)
}
