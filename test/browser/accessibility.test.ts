import assert from 'node:assert/strict'
import { findViolations, looks } from './accessibility.ts'
import { browserTest } from './fixture.ts'

browserTest(
  'no page has a serious accessibility violation, on a phone and on a desktop, light and dark',
  async (fixture) => {
    assert.deepEqual(await findViolations(fixture, looks), [])
  },
)
