import assert from 'node:assert/strict'
import { findViolations, looks } from './accessibility.ts'
import { browserTest } from './fixture.ts'

for (const look of looks) {
  browserTest(`no page has a serious accessibility violation, ${look.name}`, async (fixture) => {
    assert.deepEqual(await findViolations(fixture, [look]), [])
  })
}
