import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLanguage } from './languages.ts'

test('the preferred language among ours is chosen', () => {
  const cases: [string | undefined, string | null][] = [
    [undefined, null],
    ['', null],
    ['*', null],
    ['hi', 'hi'],
    ['hi-IN', 'hi'],
    ['EN-gb', 'en'],
    ['ta, fr;q=0.9', null],
    ['ta, hi;q=0.9, en;q=0.8', 'hi'],
    ['en;q=0.3, hi;q=0.7', 'hi'],
    ['hi;q=0, en;q=0.1', 'en'],
    ['hi;q=0', null],
    ['en,hi', 'en'],
    ['hi ; q=0.2, en', 'en'],
    ['hi;level=1;q=0.4,en;Q=0.5', 'en'],
  ]
  for (const [header, language] of cases) assert.equal(chooseLanguage(header), language, String(header))
})

test('nonsense is no language, and takes no time', () => {
  for (const header of [';;;', ',,,', 'hi;q=', 'hi;q=x', 'hi;q=-1', 'hi;q=2', 'hindi', 'h i', '\u0000', 'en_US']) {
    assert.equal(chooseLanguage(header), null, JSON.stringify(header))
  }
  assert.equal(chooseLanguage(`${'x,'.repeat(100_000)}hi`), null)
  assert.equal(chooseLanguage(`hi,${'-;q=,'.repeat(100_000)}`), 'hi')
})
