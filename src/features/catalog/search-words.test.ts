import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singularOf, splitWords, wordsToFind, wordsToIndex } from './search-words.ts'

test('words are lower case, without accents and punctuation', () => {
  assert.deepEqual(splitWords('Crème brûlée — 2 × “Søren’s” MUG-CAFE_01'), [
    'creme',
    'brulee',
    '2',
    'soren',
    's',
    'mug',
    'cafe',
    '01',
  ])
})

test('the vowel signs of Hindi stay, and those of Arabic go', () => {
  assert.deepEqual(splitWords('मसाला चाय'), ['मसाला', 'चाय'])
  assert.deepEqual(splitWords('كِتَاب'), splitWords('كتاب'))
})

test('any part of a Japanese run finds it', () => {
  const indexed = new Set(wordsToIndex('有田焼の湯呑み'))
  for (const query of ['有田焼', '湯呑', '湯呑み', '焼の', 'み']) {
    assert.ok(
      wordsToFind(query).every((word) => [...indexed].some((known) => known.startsWith(word))),
      query,
    )
  }
  assert.ok(!wordsToFind('有呑').every((word) => [...indexed].some((known) => known.startsWith(word))))
})

test('a plural finds the singular and the other way round', () => {
  for (const [plural, singular] of Object.entries({
    shoes: 'shoe',
    dresses: 'dress',
    berries: 'berry',
    boxes: 'box',
    glasses: 'glass',
    brushes: 'brush',
  })) {
    assert.equal(singularOf(plural), singular)
    assert.ok(wordsToIndex(plural).includes(singular))
  }
  for (const word of ['dress', 'canvas', 'bus', 'tennis', 'gas']) {
    assert.deepEqual(wordsToFind(word), [singularOf(word)])
    assert.ok(wordsToIndex(word).includes(singularOf(word)))
  }
})

test('a query has twelve words at most, each once', () => {
  assert.equal(wordsToFind('a b c d e f g h i j k l m n o p').length, 12)
  assert.deepEqual(wordsToFind('tea tea TEA'), ['tea'])
})
