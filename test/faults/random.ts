import { createHash } from 'node:crypto'

export type Random = () => number

/** Numbers from 0 to 1 that are the same for the same seed, so that a failure can be repeated. */
export const seededRandom = (seed: number): Random => {
  let turn = 0
  return () => createHash('sha256').update(`${seed} ${++turn}`).digest().readUInt32BE() / 2 ** 32
}

/** From TEST_SEED, or a new one. Tests print it. */
export const newSeed = () => Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
