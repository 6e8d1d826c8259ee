import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAll, faultOf, readChecked } from './regexps.ts'

test('every regular expression of the source is safe and listed in checked-regexps.json', async () => {
  const { faults, safe } = await checkAll()
  assert.deepEqual(faults, [])
  assert.deepEqual(
    [...readChecked()].sort(),
    safe,
    'test/checked-regexps.json is out of date: run "npx node test/regexps.ts"',
  )
})

test('the checker finds another pattern that once blocked the service, which takes it longer', async () => {
  assert.notEqual(await faultOf({ pattern: 'eyJ[\\w-]{8,}\\.[\\w.-]{8,}', flags: 'gi' }), null)
})
