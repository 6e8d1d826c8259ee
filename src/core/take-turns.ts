import { setImmediate } from 'node:timers/promises'

const between = 4

/** Called with 1, 2, 3 … in a long loop: lets requests be answered after every few items. */
export const takeTurns = async (count: number) => {
  if (count % between === 0) await setImmediate()
}
