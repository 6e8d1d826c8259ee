import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeDelays } from './shed-load.ts'

const judge = (...delays: number[]) => delays.map(judgeDelays(500))

test('a process is overloaded from its second slow second on, until one is not slow', () => {
  assert.deepEqual(judge(10, 600, 600, 900, 10, 10), [false, false, true, true, false, false])
})

test('a machine that stands still for a moment now and then overloads nothing', () => {
  assert.deepEqual(judge(4000, 10, 700, 10, 10, 600, Number.NaN), [false, false, false, false, false, false, false])
})

test('while requests pile up again whenever they are let in, every other second refuses them', () => {
  assert.deepEqual(judge(600, 600, 10, 600, 10, 600), [false, true, false, true, false, true])
})
