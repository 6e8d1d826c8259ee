import assert from 'node:assert/strict'
import { findFaults, looks } from './everybody.ts'
import { browserTest } from './fixture.ts'

for (const look of looks) {
  browserTest(`no page has a serious accessibility fault, ${look.name}`, async (scene) => {
    assert.deepEqual(await findFaults(scene, [look]), [])
  })
}
