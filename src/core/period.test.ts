import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from './errors.ts'
import { readPeriod } from './period.ts'

const iso = ({ from, to }: ReturnType<typeof readPeriod>) => [from?.toISOString(), to?.toISOString()]

test('days are those of the time zone, and both are included', () => {
  const period = readPeriod({ from: '2026-11-15', to: '2026-11-15' }, 'Asia/Kolkata')
  assert.deepEqual(iso(period), ['2026-11-14T18:30:00.000Z', '2026-11-15T18:30:00.000Z'])
})

test('a day on which the clock changes has 23 or 25 hours', () => {
  const spring = readPeriod({ from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin')
  assert.deepEqual(iso(spring), ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
  const autumn = readPeriod({ from: '2026-10-25', to: '2026-10-25' }, 'Europe/Berlin')
  assert.deepEqual(iso(autumn), ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'])
})

test('times are taken as they are, and nothing is no limit', () => {
  const times = { from: '2026-11-15T08:00:00Z', to: '2026-11-15T10:00:00+02:00' }
  assert.deepEqual(iso(readPeriod(times, 'Asia/Kolkata')), ['2026-11-15T08:00:00.000Z', '2026-11-15T08:00:00.000Z'])
  assert.deepEqual(readPeriod({}, 'UTC'), { from: null, to: null })
})

test('other texts are refused', () => {
  for (const text of ['2026-02-30', '2026-13-01', 'yesterday', '2026-11-15T08:00', '']) {
    assert.throws(() => readPeriod({ from: text }, 'UTC'), Failure)
  }
})
