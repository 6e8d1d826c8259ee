import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOlderVersion, packageVersion } from './version.ts'

test('versions are compared number by number', () => {
  for (const [older, newer] of [
    ['0.1.0', '0.2.0'],
    ['0.9.0', '0.10.0'],
    ['0.9.9', '1.0.0'],
    ['1.2.3', '1.2.4-rc.1'],
  ] as const) {
    assert.deepEqual([isOlderVersion(older, newer), isOlderVersion(newer, older)], [true, false], `${older} ${newer}`)
  }
  assert.equal(isOlderVersion('1.2.3', '1.2.3'), false)
  assert.equal(isOlderVersion(packageVersion, packageVersion), false)
  assert.throws(() => isOlderVersion('1.2', '1.2.3'), /not a version: 1\.2$/)
})
