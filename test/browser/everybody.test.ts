import assert from 'node:assert/strict'
import { findFaults, looks } from './everybody.ts'
import { browserTest } from './fixture.ts'

browserTest('no page has a serious accessibility fault, on a phone and on a desktop, light and dark', async (scene) => {
  assert.deepEqual(await findFaults(scene, looks), [])
})
