import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { watchForSilence } from './silence.ts'

const file = resolve('src/cart.test.ts')

const watch = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const events = new EventEmitter()
  const stuck: string[][] = []
  watchForSilence(events, 1000, (running) => void stuck.push(running))
  return { events, stuck, wait: (ms: number) => t.mock.timers.tick(ms) }
}

test('a run in which nothing begins or ends names the tests and files that have not ended', (t) => {
  const { events, stuck, wait } = watch(t)
  events.emit('test:dequeue', { name: 'src/cart.test.ts', file })
  for (const name of ['adds', 'waits for ever']) events.emit('test:dequeue', { name, file })
  wait(900)
  events.emit('test:complete', { name: 'adds', file })
  wait(900)
  assert.deepEqual(stuck, [])
  wait(100)
  assert.deepEqual(stuck, [['src/cart.test.ts', 'src/cart.test.ts: waits for ever']])
})

test('a run that has ended is not watched any more', (t) => {
  const { events, stuck, wait } = watch(t)
  events.emit('test:dequeue', { name: 'adds', file })
  events.emit('end')
  wait(5000)
  assert.deepEqual(stuck, [])
})
