import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects what the start has left behind and gives the memory back to the system: V8 does not do so by itself while a
 * process is idle. Takes about a tenth of a second, so it belongs to the start, before the first requests.
 * Node offers no other way to ask for it.
 */
export const releaseMemory = () => {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'major'; flavor: 'last-resort' }) => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}
