import { mustExist } from '../../src/core/must-exist.ts'
import { makeBeside } from '../databases.ts'
import { doubles } from './doubles.ts'
import type { PaymentDouble } from './payment-double.ts'

let ownDatabase: ReturnType<typeof makeBeside> | undefined

/** The tests of a process share a database of their own, because jobs of tests in other processes call other doubles. */
export const openOwnDatabase = async () => {
  ownDatabase ??= makeBeside(process.env.TEST_DATABASE_URL ?? '')
  return (await ownDatabase).url
}

let placed: Promise<PaymentDouble> | undefined
/** Of the services that use the double. Its time is that of the last one. */
const clocks: (() => number)[] = []

/** The double that this process runs its tests with, in place of the sandbox (see groups.ts). */
export const placeDouble = async (now: () => number) => {
  const name = process.env.TEST_DOUBLE
  if (name === undefined) return undefined
  const { start, createProvider } = mustExist(
    doubles.find((double) => double.name === name),
    `the double ${name}`,
  )
  clocks.push(now)
  placed ??= start({ now: () => (clocks.at(-1) ?? Date.now)() })
  const double = await placed
  const leave = async () => {
    clocks.splice(clocks.indexOf(now), 1)
    if (clocks.length > 0) return
    placed = undefined
    await double.close()
  }
  return { double, provider: createProvider(double.url), databaseUrl: await openOwnDatabase(), leave }
}
