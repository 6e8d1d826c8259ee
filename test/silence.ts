import type { EventEmitter } from 'node:events'
import { relative } from 'node:path'
import type { EventData } from 'node:test'

type Started = Pick<EventData.TestDequeue, 'name' | 'file'>

/** Calls `onSilence` when no test has begun or ended for this long, with the names of those that have not ended. */
export const watchForSilence = (events: EventEmitter, ms: number, onSilence: (running: string[]) => void) => {
  const running = new Map<string, number>()
  const wait = () => setTimeout(() => onSilence([...running.keys()]), ms)
  let timer = wait()
  const count = ({ name, file = name }: Started, change: number) => {
    const path = relative(process.cwd(), file)
    const test = name === path || name === file ? name : `${path}: ${name}`
    const times = (running.get(test) ?? 0) + change
    if (times > 0) running.set(test, times)
    else running.delete(test)
    clearTimeout(timer)
    timer = wait()
  }
  events.on('test:dequeue', (test) => count(test, 1))
  events.on('test:complete', (test) => count(test, -1))
  events.once('end', () => clearTimeout(timer))
}
