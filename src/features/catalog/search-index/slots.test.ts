import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hasSlot,
  intersect,
  listSlots,
  packNumbers,
  packSlots,
  takeLastFirst,
  unite,
  unpackNumbers,
  unpackSlots,
} from './slots.ts'

/** Few and many of the slots of a block, so that some are kept as lists and some as bits. */
const samples = [[], [0], [65_535], [0, 31, 32, 63, 64, 65_535], every(1), every(2), every(7), every(1_000), every(40)]

function every(step: number) {
  return Array.from({ length: Math.ceil(65_536 / step) }, (_, i) => i * step)
}

const packed = (slots: readonly number[]) => unpackSlots(packSlots(Uint16Array.from(slots)))

test('slots are the same after they were kept, in at most a bit for each slot of a block', () => {
  for (const slots of samples) {
    const { count, data } = packSlots(Uint16Array.from(slots))
    assert.equal(count, slots.length)
    assert.ok(data.length <= Math.min(2 * slots.length, 8_192))
    assert.deepEqual(listSlots(unpackSlots({ count, data })), slots)
  }
  assert.ok(packed(every(2)) instanceof Uint32Array && packed(every(1_000)) instanceof Uint16Array)
})

test('lists and bits are combined alike', () => {
  for (const one of samples) {
    for (const other of samples) {
      const both = new Set(one)
      assert.deepEqual(
        listSlots(intersect(packed(one), packed(other))),
        other.filter((slot) => both.has(slot)),
      )
      const any = [...new Set([...one, ...other])].sort((a, b) => a - b)
      assert.deepEqual(listSlots(unite([packed(one), packed(other)]) ?? new Uint16Array()), any)
    }
  }
  assert.equal(unite([]), undefined)
})

test('a slot is found in lists and bits', () => {
  for (const slots of samples) {
    const has = new Set(slots)
    for (const slot of [0, 1, 2, 31, 32, 64, 999, 1_000, 65_534, 65_535]) {
      assert.equal(hasSlot(packed(slots), slot), has.has(slot))
    }
  }
})

test('slots are taken from the last one on, as many as are wanted', () => {
  for (const slots of samples) {
    const taken: number[] = []
    const tookAll = takeLastFirst(packed(slots), (slot) => taken.push(slot) < 5)
    assert.deepEqual(taken, slots.slice(-5).reverse())
    assert.equal(tookAll, slots.length < 5)
  }
})

test('ascending numbers are the same after they were packed', () => {
  for (const numbers of [[], [0], [1, 2, 3], [127, 128, 16_383, 16_384], [5, 2 ** 31, 2 ** 40]]) {
    assert.deepEqual(unpackNumbers(packNumbers(numbers)), numbers)
  }
})
