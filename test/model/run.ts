import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TestService } from '../harness.ts'
import { cartCommands } from './cart-commands.ts'
import { batches, letCrowdLoose } from './crowd.ts'
import { openFloor, openService } from './floor.ts'
import { peopleCommands, worldCommands } from './people-commands.ts'
import { assertLeftovers } from './stored.ts'

/** `file` is the test that a failure says to repeat. Shrinking ends with the time too, so it is given some. */
export type Effort = { runs: number; limitMs: number; file: string }

/** MODEL_SEED repeats a run; MODEL_PATH and MODEL_COMMANDS, which a failure prints too, go straight to what failed. */
const { MODEL_SEED, MODEL_PATH, MODEL_COMMANDS } = process.env

/** A short run uses a fixed seed, so that each change runs the same stories; long runs use random seeds. */
const isLong = process.argv.some((word) => word.endsWith('.long.ts'))
const seed = MODEL_SEED ?? (isLong ? undefined : '20261115')

const allCommands = [...cartCommands, ...peopleCommands, ...worldCommands].flatMap(([weight, command]) =>
  Array.from({ length: weight }, () => command),
)

/** For `fc.commands`. */
export const replayed = MODEL_COMMANDS === undefined ? {} : { replayPath: MODEL_COMMANDS }

/** Runs random commands; fails with the shortest story that differs from the model. */
export const compareWithModel = (service: TestService, maxCommands: number, effort: Effort) => {
  const story = fc.commands(allCommands, { maxCommands, size: 'max', ...replayed })
  const property = fc.asyncProperty(story, async (commands) => {
    const { world, floor } = await openFloor(service)
    await fc.asyncModelRun(() => ({ model: world, real: floor }), commands)
    await assertLeftovers(world, floor)
  })
  return checkProperty(property, effort)
}

/** Runs concurrent shoppers many times. */
export const compareCrowds = (service: TestService, effort: Effort) =>
  checkProperty(
    fc.asyncProperty(batches, (story) => letCrowdLoose(service, story)),
    effort,
  )

/** Each round uses a new service, because its clock only moves forward. Repeating a failure takes one round. */
export const onNewServices = async (forMs: number, round: (service: TestService) => Promise<void>) => {
  const until = performance.now() + forMs
  do {
    const { service, close } = await openService()
    try {
      await round(service)
    } finally {
      await close()
    }
  } while (performance.now() < until && MODEL_SEED === undefined)
}

export const checkProperty = async <Story>(property: fc.IAsyncProperty<[Story]>, { runs, limitMs, file }: Effort) => {
  const details = await fc.check(property, {
    ...{ numRuns: runs, interruptAfterTimeLimit: limitMs },
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
  })
  if (details.failed) assert.fail(tellFailure(details, file))
}

type Failed = Pick<fc.RunDetails<[unknown]>, 'counterexample' | 'counterexamplePath' | 'errorInstance' | 'seed'>

const tellFailure = ({ counterexample, counterexamplePath, errorInstance, seed }: Failed, file: string) => {
  const [, story = '', replayPath] =
    /^(.*?)(?:\s*\/\*replayPath="(.*)"\*\/)?$/s.exec(tellStory(counterexample?.[0])) ?? []
  const commands = replayPath === undefined ? '' : ` MODEL_COMMANDS='${replayPath}'`
  return [
    'The service does not do what the model says, after this story:',
    ...story.split('\n').map((step) => `  ${step}`),
    errorInstance instanceof Error ? errorInstance.stack : String(errorInstance),
    '',
    `To run all of it again: MODEL_SEED=${seed} npm test -- ${file}`,
    `To run this story alone: MODEL_SEED=${seed} MODEL_PATH='${counterexamplePath}'${commands} npm test -- ${file}`,
  ].join('\n')
}

/** One step to a line: a command, or all that happens at once. */
const tellStory = (story: unknown): string =>
  Array.isArray(story)
    ? story.map((batch) => JSON.stringify(batch)).join('\n')
    : fc.stringify(story).replaceAll('.,', '.\n')
