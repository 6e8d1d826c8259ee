import { readFileSync } from 'node:fs'

/**
 * How long a process was ready to run while others had the processors. On a busy machine that is most of a start, and says
 * nothing about the program. Linux only; 0 elsewhere, and for a process that has ended.
 */
export const waitedForProcessorMs = (pid: number) => {
  try {
    // The second number is in nanoseconds.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
