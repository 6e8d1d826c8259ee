import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOptions, type OptionPair, parseOptions } from '../demo/src/option-filter.ts'
import { imageOf } from '../demo/src/variant-image.ts'

const variant = (options: Record<string, string>, image = '') => ({
  ...{ id: 'var_1', sku: '', title: '', price: 1, compareAtPrice: null, stock: 1, stockTracked: true },
  ...{ barcode: '', weightGrams: null },
  options,
  image,
})

test('a variant is shown by its own picture, else by the one that is named for most of its options', () => {
  const images = [
    '/kurta.svg',
    '/kurta-rust.svg',
    'https://cdn.example/a/Kurta_Rust_XL.jpg?v=2',
    '/kurta-slate-blue.svg',
  ]
  assert.equal(imageOf({ images }, variant({ Colour: 'Rust' }, '/own.svg')), '/own.svg')
  assert.equal(imageOf({ images }, variant({ Colour: 'Rust', Size: 'S' })), '/kurta-rust.svg')
  assert.equal(imageOf({ images }, variant({ Colour: 'Rust', Size: 'XL' })), images[2])
  assert.equal(imageOf({ images }, variant({ Colour: 'Slate blue' })), '/kurta-slate-blue.svg')
})

test('a picture whose name only contains the letters of an option is not of that variant', () => {
  const images = ['/mugs-small.svg', '/rusty.svg']
  for (const value of ['S', 'Rust', '', '—', '.*']) {
    assert.equal(imageOf({ images }, variant({ Option: value })), null, value)
  }
  assert.equal(imageOf({ images: [] }, variant({})), null)
})

test('chosen options come out of the address as they went in', () => {
  const pairs: OptionPair[] = [
    ['Colour', 'Indigo'],
    ['1,5: L', 'back\\slash'],
    ['a', 'b,'],
  ]
  assert.equal(formatOptions(pairs.slice(0, 1)), 'Colour:Indigo')
  assert.deepEqual(parseOptions(formatOptions(pairs)), pairs)
  for (const text of ['', ',', 'Colour', 'Colour:', '\\', ':x,,']) assert.deepEqual(parseOptions(text), [], text)
})
