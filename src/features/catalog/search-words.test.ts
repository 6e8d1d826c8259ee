import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestWords, fold, singularOf, wordsToFind, wordsToIndex } from './search-words.ts'

const asked = (query: string) => wordsToFind(query).map(({ text }) => text)

test('words are lower case, without accents and punctuation', () => {
  assert.deepEqual(wordsToIndex('Crème brûlée — 2 × “Søren’s” MUG-CAFE_01'), [
    'creme',
    'brulee',
    '2',
    'soren',
    's',
    'mug',
    'cafe',
    '01',
  ])
  assert.equal(fold('ÉTÉ Straße'), 'ete strasse')
})

test('the vowel signs of Hindi stay, and those of Arabic are removed', () => {
  assert.deepEqual(wordsToIndex('मसाला चाय'), ['मसाला', 'चाय'])
  assert.deepEqual(wordsToIndex('كِتَاب'), wordsToIndex('كتاب'))
})

test('any part of a Japanese run finds it, and no other text does', () => {
  const indexed = wordsToIndex('有田焼の湯呑み')
  const finds = (query: string) => asked(query).every((word) => indexed.some((known) => known.startsWith(word)))
  for (const query of ['有田焼', '湯呑', '湯呑み', '焼の', 'み', '有']) assert.ok(finds(query), query)
  for (const query of ['有呑', '茶', '湯呑茶']) assert.ok(!finds(query), query)
})

test('a plural finds the singular and the other way round', () => {
  const pairs = { shoes: 'shoe', dresses: 'dress', berries: 'berry', boxes: 'box', glasses: 'glass', brushes: 'brush' }
  for (const [plural, singular] of Object.entries(pairs)) {
    assert.equal(singularOf(plural), singular)
    assert.ok(wordsToIndex(plural).includes(singular))
    assert.deepEqual(asked(plural), [singular])
  }
  for (const word of ['dress', 'canvas', 'bus', 'tennis', 'gas']) {
    assert.ok(wordsToIndex(word).includes(asked(word)[0] as string), word)
  }
})

test('a query has at most twelve distinct words', () => {
  assert.equal(asked('a b c d e f g h i j k l m n o p').length, 12)
  assert.deepEqual(asked('tea tea TEA'), ['tea'])
  assert.deepEqual(asked('tea pot tea'), ['pot', 'tea'])
})

test('a single letter matches only itself, and short words and numbers are never corrected', () => {
  assert.deepEqual(wordsToFind('a'), [{ text: 'a', prefix: false, correctable: false }])
  assert.deepEqual(
    wordsToFind('tea 2024 x100 shirt').map(({ correctable }) => correctable),
    [false, false, false, true],
  )
})

test('closestWords returns the candidates with the smallest edit distance', () => {
  assert.deepEqual(closestWords('sheos', ['shoes', 'shows', 'these']), ['shoes'])
  assert.deepEqual(closestWords('shrit', ['shirt', 'short', 'skirt']), ['shirt'])
  assert.deepEqual(closestWords('candel', ['candle', 'candy']), ['candle'])
  assert.deepEqual(closestWords('mugz', ['jugs', 'rugs']), [])
  assert.deepEqual(closestWords('notbook', ['notebook', 'outlook']), ['notebook'])
})
