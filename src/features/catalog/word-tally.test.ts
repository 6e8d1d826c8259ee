import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningsOf, createTally } from './word-tally.ts'

test('common words are counted with those in names, and extrapolated from the sample to all products', () => {
  const tally = createTally(3)
  for (let i = 0; i < 500; i++) {
    tally.add(['12=Colour Red', ...(i % 4 === 0 ? ['12^mug'] : []), '12~mug', ...(i % 50 === 0 ? ['12~rare'] : [])])
  }
  assert.deepEqual(tally.listCommon(500, 400), [{ word: 'mug', products: 500, named: 125 }])
  assert.deepEqual(tally.listCommon(50_000, 1_000), [{ word: 'mug', products: 50_000, named: 12_500 }])
  assert.deepEqual(tally.listCommon(500, 500), [], 'not surely common')
})

test('with very many different words, rare ones are forgotten and common ones are counted', () => {
  const tally = createTally(2)
  for (let i = 0; i < 1_000; i++) {
    tally.add(['1~mug', ...Array.from({ length: 500 }, (_, n) => `1~rare${i}and${n}`)])
  }
  assert.deepEqual(tally.listCommon(1_000, 900), [{ word: 'mug', products: 1_000, named: 0 }])
})

test('each beginning of the words of a product is counted once, by mark, and is never half a character', () => {
  assert.deepEqual(beginningsOf(['1^mug', '1~a', '1~mu', '1~mug', '1~mugs', '1~mutter'], 2), [
    ...['1^mu', '1^mug', '1~mu', '1~mug', '1~mugs', '1~mut', '1~mutt', '1~mutte', '1~mutter'],
  ])
  assert.deepEqual(beginningsOf(['1~a𝒜b'], 2), ['1~a𝒜', '1~a𝒜b'])
})
