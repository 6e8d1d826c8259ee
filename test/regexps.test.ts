import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf, findLiterals, readChecked } from './regexps.ts'

test('every regular expression runs in linear time', async (t) => {
  const found = findLiterals()
  const checked = new Set(readChecked())
  const faults: string[] = []
  for (const { path, text, ...literal } of found) {
    if (checked.has(text)) continue
    t.diagnostic(`checks ${text} of ${path}; "npx node test/regexps.ts" keeps the result`)
    checked.add(text)
    const fault = await faultOf(literal)
    if (fault !== null) faults.push(`${path} ${text}: ${fault}`)
  }
  assert.ok(found.length > 50, 'the literals were found')
  assert.deepEqual(faults, [])
})

test('the checker finds a pattern that once blocked the service', async () => {
  const pattern = '(?<=:\\/\\/[^/\\s:@"]*:)[^@\\s"]+(?=@)'
  assert.notEqual(await faultOf({ pattern, flags: 'gi' }), null)
})
