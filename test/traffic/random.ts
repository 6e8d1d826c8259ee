import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'

export type Random = () => number

/** Numbers from 0 to 1. TEST_SEED repeats those of a run that has failed. */
export const randomFor = (t: TestContext): Random => {
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`TEST_SEED=${seed} repeats the choices of this run`)
  let turn = 0
  return () => createHash('sha256').update(`${seed} ${++turn}`).digest().readUInt32BE() / 2 ** 32
}
