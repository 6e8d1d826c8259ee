import fc from 'fast-check'
import { days } from '../../src/core/clock.ts'
import type { TestService } from '../harness.ts'
import { buyingCommands, sweep } from './buying-commands.ts'
import { assertEnd, openCounter } from './buying-floor.ts'
import { checkProperty, type Effort, replayed } from './run.ts'

/** Lets buyers, providers, carriers and time loose on a shop; after every step its books must be in order. */
export const compareBuying = (service: TestService, maxCommands: number, effort: Effort) => {
  const story = fc.commands(buyingCommands, { maxCommands, size: 'max', ...replayed })
  const property = fc.asyncProperty(story, async (commands) => {
    const { world, counter } = await openCounter(service)
    await fc.asyncModelRun(() => ({ model: world, real: counter }), commands)
    // Twice, because what is swept today may be due for something else tomorrow.
    for (const _ of [1, 2]) {
      service.clock.advance(days(1.5))
      await sweep(world, counter)
    }
    await assertEnd(world, counter)
  })
  return checkProperty(property, effort)
}
