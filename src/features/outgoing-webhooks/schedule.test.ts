import assert from 'node:assert/strict'
import { test } from 'node:test'
import { days, hours, minutes, seconds } from '../../core/clock.ts'
import { maxAttempts, readRetryAfterMs, retryDelayMs } from './schedule.ts'

test('ten attempts are made within about three days', () => {
  const delays = Array.from({ length: maxAttempts }, (_, i) => retryDelayMs(i + 1, 0, 0))
  assert.deepEqual(delays, [
    ...[seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)],
    null,
  ])
  const total = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)
  assert.ok(total > days(3) && total < days(3.5))
})

test('a delay is up to a tenth longer at random', () => {
  const delays = Array.from({ length: 200 }, () => retryDelayMs(2, 0) ?? 0)
  assert.ok(delays.every((delay) => delay >= minutes(5) && delay <= minutes(5.5)))
  assert.ok(new Set(delays).size > 100)
})

test('Retry-After lengthens a delay, up to a day, and never shortens it', () => {
  assert.equal(retryDelayMs(1, minutes(2), 0), minutes(2))
  assert.equal(retryDelayMs(1, days(30), 0), days(1))
  assert.equal(retryDelayMs(3, seconds(1), 0), minutes(30))
  assert.equal(retryDelayMs(maxAttempts, minutes(1), 0), null)
})

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-11-17T10:00:00Z')
  assert.equal(readRetryAfterMs('120', now), minutes(2))
  assert.equal(readRetryAfterMs(' 0 ', now), 0)
  assert.equal(readRetryAfterMs('Tue, 17 Nov 2026 10:01:00 GMT', now), minutes(1))
  assert.equal(readRetryAfterMs('Tue, 17 Nov 2026 09:00:00 GMT', now), 0)
  for (const text of [undefined, '', 'soon', '-5', '1e99', '99999999999999999999', 'NaN']) {
    assert.equal(readRetryAfterMs(text, now), 0, String(text))
  }
})
